package shelf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// Rebuild folds the journal again and makes every book, archive and page what that yields. When nothing is wrong it
// changes nothing. Sessions of closed that are in no step come into the journal, by the time at which they closed. What
// differed is kept aside and named, as is a journal that is damaged or does not reach as far as the books: then its
// whole lines are used, and records that only the books still have come into it as a change. A book that lacks a session
// is left as it is, and so is one that a newer version wrote.
//
// [ErrNewer], [ErrUnreadable]: the journal; [ErrBusy]; any other error is the disk's. Killed at any point, it is done
// again; until it has ended nothing else writes.
func (s *Shelf) Rebuild(closed ...council.SessionID) (Report, error) {
	return s.hold(func(w *writing) error {
		r, err := w.plan(closed)
		if err != nil {
			return err
		}
		return w.rebuild(r)
	})
}

// rebuilding is what memory is to become.
type rebuilding struct {
	lines   []line
	salvage bool // the journal is written anew
	added   int  // lines at the end that are not in the journal yet
	books   map[owner]*growth
	old     map[owner]volume
}

// plan folds everything again.
func (w *writing) plan(closed []council.SessionID) (rebuilding, error) {
	r := rebuilding{old: map[owner]volume{}}
	lines, err := steps(w.files)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return r, err
	}
	if r.salvage = err != nil; r.salvage {
		if lines, err = w.wholeLines(); err != nil {
			return r, err
		}
	}
	ahead, err := w.oldBooks(&r, lines)
	if err != nil {
		return r, err
	}
	r.salvage = r.salvage || ahead
	var report Report
	for _, s := range w.unfolded(lines, closed, &report) {
		lines = follow(lines, s)
		r.added++
	}
	r.lines = lines
	r.books = w.refold(lines, &report)
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

// follow puts a step after the others and numbers it.
func follow(lines []line, s memory.Step) []line {
	var before standing
	if n := len(lines); n > 0 {
		before = lines[n-1].Standing
	}
	s.N = len(lines) + 1
	return append(lines, before.follow(s))
}

// oldBooks reads what is there, and reports whether a book holds steps that the journal does not.
func (w *writing) oldBooks(r *rebuilding, lines []line) (ahead bool, err error) {
	var st standing
	if n := len(lines); n > 0 {
		st = lines[n-1].Standing
	}
	found, err := owners(w.files)
	if err != nil {
		return false, unread(w.dir, err)
	}
	for _, o := range found {
		v, err := read(w.files, o)
		if err == nil {
			r.old[o] = v
			ahead = ahead || v.book.Step > st.Books[o.key()]
		}
	}
	return ahead, nil
}

// wholeLines takes what can be read of a damaged journal, numbered anew.
func (w *writing) wholeLines() ([]line, error) {
	text, err := atomicfile.Read(w.files, journalFile)
	if err != nil {
		return nil, unread(journalFile, err)
	}
	var all []line
	for one := range bytes.Lines(text) {
		l, err := parse(bytes.TrimSuffix(one, []byte("\n")), "")
		if errors.Is(err, ErrNewer) {
			return nil, err
		}
		if err == nil {
			all = follow(all, l.Step)
		}
	}
	return all, nil
}

// unfolded are the steps of closed sessions that no line has, by the time at which they closed.
func (w *writing) unfolded(lines []line, closed []council.SessionID, report *Report) []memory.Step {
	there := map[council.SessionID]bool{}
	for _, l := range lines {
		if l.Session != nil {
			there[l.Session.ID] = true
		}
	}
	var found []memory.Step
	for _, id := range closed {
		if there[id] {
			continue
		}
		there[id] = true
		entries, err := w.load(id)
		if err != nil {
			report.lack(id, err)
			continue
		}
		_, last, err := whenClosed(memory.Session{ID: id, Entries: entries})
		if err != nil {
			continue // it is under way
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
	var lines []line
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
	for h, err := range held(w.files, g.from.owner, "") {
		if err == nil && !known[h.ID] {
			found = append(found, h.Record)
		}
	}
	return found
}

// rebuild writes what differs.
func (w *writing) rebuild(r rebuilding) error {
	if n := len(r.lines); n > 0 {
		w.report.Step = n
	}
	b := &marked{writing: w}
	if err := w.journal(b, r); err != nil {
		return fmt.Errorf("cannot write the journal of memory: %w", err)
	}
	for _, o := range ordered(r.books) {
		g := r.books[o]
		if g.stuck != nil {
			continue
		}
		changed, err := w.replace(b, g, r.old)
		if err != nil {
			return err
		}
		if changed {
			w.report.Wrote = append(w.report.Wrote, Written{Member: council.MemberID(o)})
		}
	}
	return b.unmark()
}

// journal brings the journal in step with the plan.
func (w *writing) journal(b *marked, r rebuilding) error {
	if !r.salvage {
		e, err := readEnd(w.files)
		for _, l := range r.lines[len(r.lines)-r.added:] {
			if err == nil {
				err = b.mark()
			}
			if err == nil {
				e, err = w.append(e, l.Step)
			}
		}
		w.report.Done = r.added > 0
		return err
	}
	var text []byte
	sum := seed()
	for _, l := range r.lines {
		one, next, err := l.bytes(sum)
		if err != nil {
			return err
		}
		text, sum = append(text, one...), next
	}
	held, err := atomicfile.Read(w.files, journalFile)
	if err == nil && bytes.Equal(held, text) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.report.Done = true
	if err := b.mark(); err != nil {
		return err
	}
	if len(held) > 0 {
		// A copy, so that there is a journal at every moment.
		kept, err := atomicfile.Keep(w.files, journalFile, atomicfile.Damaged, held, w.now())
		if err != nil {
			return err
		}
		w.report.Asides = append(w.report.Asides, Aside{Path: journalFile, Kept: kept})
	}
	return atomicfile.Write(w.files, journalFile, text)
}

// replace makes the files of a book what the journal yields.
func (w *writing) replace(b *marked, g *growth, old map[owner]volume) (changed bool, err error) {
	o := g.from.owner
	if _, err := read(w.files, o); errors.Is(err, ErrNewer) {
		w.report.leave(o, o.path(o.book()), err)
		return false, nil
	}
	wanted, err := g.derived()
	if err != nil {
		return false, err
	}
	room, err := w.room(o)
	if err != nil {
		return false, err
	}
	g.from = volume{owner: o, absent: true}
	if v, ok := old[o]; ok {
		g.from = v
	}
	for _, d := range wanted {
		held, err := atomicfile.Read(room, d.name)
		if err == nil && bytes.Equal(held, d.text) {
			continue
		}
		changed = true
		if err := b.mark(); err != nil {
			return changed, err
		}
		if err := w.supersede(g, room, d, held, err); err != nil {
			return changed, err
		}
	}
	extra, err := w.extra(b, g, room)
	return changed || extra, err
}

// supersede writes a derived file in the place of what is there.
func (w *writing) supersede(g *growth, room atomicfile.Files, d derived, held []byte, failed error) error {
	o := g.from.owner
	kind := atomicfile.Edited
	switch {
	case errors.Is(failed, fs.ErrNotExist):
		return atomicfile.Write(room, d.name, d.text)
	case failed == nil && d.page && (g.rendered(held) || d.name == profile && w.wasProfile(g, held)):
		return atomicfile.Write(room, d.name, d.text)
	case failed == nil && d.name != o.book() && bytes.HasPrefix(d.text, begun(held)):
		return atomicfile.Write(room, d.name, d.text) // cut short, or without what came later
	case d.name == o.book() && !g.from.absent && g.from.book.Step < g.book.Step:
		return atomicfile.Write(room, d.name, d.text) // it only lagged
	case failed != nil, d.name == o.book() && g.from.absent, !d.page && d.name != o.book() && !intact(d.name, held):
		kind = atomicfile.Damaged
	}
	if err := w.aside(o, room, d.name, kind); err != nil {
		return err
	}
	return atomicfile.Write(room, d.name, d.text)
}

// begun is what an archive or a page holds, without what ends it.
func begun(held []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimRight(held, "\x00"), []byte(closing))
}

// intact reports whether every line of an archive can be read.
func intact(name string, data []byte) bool {
	for _, err := range scan(name, data).records() {
		if err != nil {
			return false
		}
	}
	return true
}

// extra keeps archives aside that the journal does not yield.
func (w *writing) extra(b *marked, g *growth, room atomicfile.Files) (changed bool, err error) {
	o := g.from.owner
	found, err := years(w.files, o)
	if err != nil {
		return false, err
	}
	for _, year := range found {
		if slices.Contains(g.years(), year) {
			continue
		}
		for _, name := range []string{o.archived(year), o.archive(year)} {
			if _, err := room.Lstat(name); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err := errors.Join(b.mark(), w.aside(o, room, name, atomicfile.Edited)); err != nil {
				return true, err
			}
			changed = true
		}
	}
	return changed, nil
}

// marked is a rebuild that has said so on disk before it writes anything.
type marked struct {
	*writing
	done bool
}

func (b *marked) mark() error {
	if b.done {
		return nil
	}
	b.done = true
	if _, err := b.files.Lstat(rebuildingFile); err == nil {
		return nil
	}
	return atomicfile.Write(b.files, rebuildingFile, fmt.Appendf(nil, "since %s\n", b.now().UTC().Format(time.RFC3339)))
}

// unmark ends the rebuild, also one that an earlier process began.
func (b *marked) unmark() error {
	if err := b.files.Remove(rebuildingFile); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return b.files.Sync()
}
