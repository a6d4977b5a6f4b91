package store

import (
	"cmp"
	"errors"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

// Rebuild folds the journal again and makes every book, archive and page what that yields. When nothing is wrong it
// changes nothing. Sessions that have closed and are in no step come into the journal, by the time at which they
// closed; those that cannot be read are passed over, which the caller says. What differed is kept aside and named, as
// is a journal that is damaged or does not reach as far as the books: then its whole lines are used, and records that
// only the books still have come into it as a change. A book that lacks a session is left as it is, and so is one that
// a newer version wrote.
//
// [ErrNewer], [ErrUnreadable]: the journal; [ErrBusy]; any other error is the disk's. Killed at any point, it is done
// again; until it has ended nothing else writes.
func (s *Store) Rebuild(sessions ...council.SessionID) (Report, error) {
	return s.hold(func(w *writing) error {
		w.forgetting, w.outdated = begunToForget(w.files), true
		r, err := w.plan(sessions)
		if err != nil {
			return err
		}
		return w.rebuild(r)
	})
}

// rebuilding is memory as it is to become.
type rebuilding struct {
	lines   []journalLine
	salvage bool // the journal is written anew
	added   int  // lines at the end that are not in the journal yet
	books   map[owner]*growth
	old     map[owner]volume
}

// plan folds everything again.
func (w *writing) plan(sessions []council.SessionID) (rebuilding, error) {
	r := rebuilding{old: map[owner]volume{}}
	lines, err := readSteps(w.files)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return r, err
	}
	if r.salvage = err != nil; r.salvage {
		if lines, err = wholeLines(w.files); err != nil {
			return r, err
		}
	}
	ahead, err := w.oldBooks(&r, lines)
	if err != nil {
		return r, err
	}
	r.salvage = r.salvage || ahead
	var report Report
	lost := w.unfolded(lines, sessions)
	if r.lines = appended(lines, lost); r.salvage {
		r.lines = inserted(lines, lost)
	}
	r.added = len(lost)
	r.books = w.refold(r.lines, &report)
	if r.salvage {
		w.rescue(&r, report.Lacks)
	} else {
		w.report.Left = append(w.report.Left, report.Left...)
	}
	for _, l := range report.Lacks {
		w.report.lack(l.Session, l.Err)
	}
	return r, nil
}

// appended puts steps at the end: what happened stays as it did.
func appended(lines []journalLine, steps []memory.Step) []journalLine {
	lines = slices.Clip(lines)
	for _, s := range steps {
		lines = follow(lines, s)
	}
	return lines
}

// inserted puts steps that a damaged journal has lost where they stood, as far as their times tell.
func inserted(lines []journalLine, steps []memory.Step) []journalLine {
	var all []journalLine
	for _, l := range lines {
		for len(steps) > 0 && steps[0].At.Before(l.At) {
			all, steps = follow(all, steps[0]), steps[1:]
		}
		all = follow(all, l.Step)
	}
	return appended(all, steps)
}

// oldBooks reads what is there, and reports whether a book holds steps that the journal does not.
func (w *writing) oldBooks(r *rebuilding, lines []journalLine) (ahead bool, err error) {
	var st standing
	if n := len(lines); n > 0 {
		st = lines[n-1].Standing
	}
	found, err := owners(w.files)
	if err != nil {
		return false, unread(w.dir, err)
	}
	for _, o := range found {
		v, err := w.read(w.files, o)
		if err == nil {
			r.old[o] = v
			ahead = ahead || v.book.Step > st.Last(o)
		}
	}
	return ahead, nil
}

// unfolded returns the steps of closed sessions that no line has, by the time at which they closed.
func (w *writing) unfolded(lines []journalLine, sessions []council.SessionID) []memory.Step {
	there := map[council.SessionID]bool{}
	for _, l := range lines {
		if l.Session != nil {
			there[l.Session.ID] = true
		}
	}
	var found []memory.Step
	for _, id := range sessions {
		if there[id] {
			continue
		}
		there[id] = true
		entries, _ := w.load(id)
		_, last, ok := closedAt(entries)
		if !ok {
			continue // it is under way, or cannot be read
		}
		found = append(found, memory.Step{At: precise(last), Session: &memory.Fold{
			ID: id, From: 1, To: council.Seq(len(entries)), Members: w.rules.members(entries),
		}})
	}
	slices.SortStableFunc(found, func(a, b memory.Step) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Session.ID, b.Session.ID))
	})
	return found
}

// rescue makes a journal from what is left: without the sessions whose logs are lost, and with a change that holds the
// records which only the books and archives still have.
func (w *writing) rescue(r *rebuilding, lost []Lacking) {
	var lines []journalLine
	for _, l := range r.lines {
		gone := l.Session != nil && slices.ContainsFunc(lost, func(k Lacking) bool { return k.Session == l.Session.ID })
		if !gone {
			lines = follow(lines, l.Step)
		}
	}
	var report Report
	r.lines, r.books = lines, w.refold(lines, &report)
	for _, o := range ordered(r.old) {
		g := r.books[o]
		if g == nil {
			g = grow(volume{owner: o, book: fresh(o), absent: true})
		}
		c := memory.Change{By: "council", Verb: "import", Member: council.MemberID(o), Put: w.only(g)}
		s := memory.Step{N: len(r.lines) + 1, At: precise(w.now()), Change: &c}
		if len(c.Put) == 0 {
			continue
		}
		if err := g.fold(w.rules, s, nil); err != nil {
			report.leave(o, o.path(o.book()), err)
			continue
		}
		r.lines, r.books[o] = follow(r.lines, s), g
	}
	w.report.Left = append(w.report.Left, report.Left...)
}

// only lists the records on disk that a book, folded again, has not.
func (w *writing) only(g *growth) []memory.Record {
	known := map[string]bool{}
	for _, r := range g.book.Records {
		known[r.ID] = true
	}
	for _, m := range g.moved {
		known[m.ID] = true
	}
	var found []memory.Record
	for h, err := range w.held(w.files, g.from.owner, "") {
		if err == nil && !known[h.ID] {
			found = append(found, h.Record)
		}
	}
	return found
}
