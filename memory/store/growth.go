package store

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// growth is a book on its way from what is on disk to what the journal makes of it.
type growth struct {
	from   volume
	book   memory.Book
	moved  []moved
	member *council.Member // who the member was in the last session, if there was one
	caught int             // steps that the book lacked
	edits  []Edit          // that are in the book now
	stuck  error           // why a step could not be folded in, and so nothing after it
}

func grow(v volume) *growth { return &growth{from: v, book: v.book} }

// fold takes in one step. An error means that the book is as it was, and that nothing newer may be taken in.
func (g *growth) fold(r rules, s memory.Step, logs *logs) error {
	var after memory.Book
	var left []memory.Record
	if s.Change != nil {
		var err error
		if after, left, err = r.apply(g.book, *s.Change, s.At); err != nil {
			return err
		}
		g.moved = slices.DeleteFunc(g.moved, func(m moved) bool { return slices.Contains(s.Change.Drop, m.ID) })
	} else {
		session, err := logs.upTo(*s.Session)
		if err != nil {
			return err
		}
		after, left = r.close(g.book, session)
		started, _ := wire.Started(session.Entries)
		if m := started.Charter.Member(g.book.Member); m != nil {
			g.member = m
		}
	}
	after.Format, after.Member, after.Step = memory.Format, g.book.Member, s.N
	g.book = after
	for _, record := range left {
		g.moved = append(g.moved, moved{Step: s.N, Root: after.Root, Record: record, Year: s.At.UTC().Year()})
	}
	return nil
}

// ours reports whether a page is as it was rendered once, or is an edit that the book has now.
func (g *growth) ours(held []byte) bool { return memory.Unedited(held) || g.accepts(held) }

// accepts reports whether the book has what a person made of a file.
func (g *growth) accepts(held []byte) bool {
	return slices.ContainsFunc(g.edits, func(e Edit) bool { return bytes.Equal(e.text, held) })
}

// refold folds steps of the journal into fresh books: all, or only some. A book that lacks a session is stuck, and
// reported.
func (s *Store) refold(steps []memory.Step, report *Report, only ...owner) map[owner]*growth {
	all := map[owner]*growth{}
	load, stop := readAhead(steps, s.load)
	defer stop()
	logs := &logs{load: load}
	for _, step := range steps {
		for _, o := range concerns(step) {
			if len(only) > 0 && !slices.Contains(only, o) {
				continue
			}
			if all[o] == nil {
				all[o] = grow(volume{owner: o, book: fresh(o), absent: true})
			}
			all[o].advance(s.rules, step, logs, report)
		}
	}
	return all
}

// advance folds in a step, unless the book has it or is stuck.
func (g *growth) advance(r rules, s memory.Step, logs *logs, report *Report) {
	if g.stuck != nil || s.N <= g.book.Step {
		return
	}
	if g.stuck = g.fold(r, s, logs); g.stuck == nil {
		g.caught++
		return
	}
	if s.Session != nil && errors.Is(g.stuck, errLacking) {
		report.lack(s.Session.ID, g.stuck)
	}
	o := g.from.owner
	report.leave(o, o.path(o.book()), fmt.Errorf("%w at step %d: %w", ErrBehind, s.N, g.stuck))
}

// ordered lists owners, the council first.
func ordered[T any](all map[owner]T) []owner { return slices.Sorted(maps.Keys(all)) }

// derived is a file as the journal yields it.
type derived struct {
	name    string // within the owner's folder
	text    []byte
	page    bool                   // rendered: the source is another file
	ours    func(held []byte) bool // whether nobody's work is lost with what stands there
	damaged func(held []byte) bool // what else stands there is damaged, and not edited; nil for a page
	write   func(atomicfile.Files, string, []byte) error
}

// none is a file that the journal does not yield.
func none(name string) derived {
	return derived{name: name, ours: func([]byte) bool { return false },
		write: func(folder atomicfile.Files, name string, _ []byte) error { return atomicfile.Discard(folder, name) }}
}

// files lists the files of a book but for its archives, in the order in which they are written: the book last.
func (g *growth) files() ([]derived, error) {
	o := g.from.owner
	page := func(name string, text []byte) derived {
		return derived{name, text, true, g.ours, nil, atomicfile.Write}
	}
	var all []derived
	if g.member != nil {
		all = append(all, page(profile, memory.ProfilePage(*g.member)))
	}
	text, err := encodeBook(g.book)
	return append(all, page(o.page(), memory.BookPage(g.book)), derived{o.book(), text, false,
		func(held []byte) bool { // it only lags, or is taken in
			return g.accepts(held) || !g.from.absent && g.from.edited == nil && g.from.book.Step < g.book.Step
		}, func([]byte) bool { return g.from.absent }, atomicfile.Write}), err
}

// derived lists all files of a book in the order in which they are written.
func (g *growth) derived() (all []derived, err error) {
	left := g.left()
	for _, year := range slices.Sorted(maps.Keys(left)) {
		files, err := g.archives(year, left[year])
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	files, err := g.files()
	return append(all, files...), err
}

// left lists what left the book, by the year in which it did.
func (g *growth) left() map[int][]moved {
	all := map[int][]moved{}
	for _, m := range g.moved {
		all[m.Year] = append(all[m.Year], m)
	}
	return all
}

// errLacking: the log of a session could not be read, or not as far as memory holds it.
var errLacking = errors.New("the log of its session could not be read")

// Load reads the log of a session. What it cannot read stays to be folded in when it can.
type Load func(council.SessionID) ([]wire.Entry, error)

// logs reads the logs of sessions, the last one once.
type logs struct {
	load    Load
	id      council.SessionID
	entries []wire.Entry
	err     error
}

// upTo returns the session as a step folds it in. Its error is errLacking.
func (l *logs) upTo(f memory.Fold) (memory.Session, error) {
	if l.id != f.ID {
		l.id = f.ID
		l.entries, l.err = l.load(f.ID)
	}
	if l.err != nil {
		return memory.Session{}, fmt.Errorf("%w: %s: %w", errLacking, f.ID, l.err)
	}
	if len(l.entries) < int(f.To) {
		return memory.Session{}, fmt.Errorf("%w: %s: it ends at event %d, and memory holds it up to event %d",
			errLacking, f.ID, len(l.entries), f.To)
	}
	return memory.Session{ID: f.ID, Entries: l.entries[:f.To], From: f.From}, nil
}

// readAhead makes load read the sessions of several steps at once, which are then wanted in this order; what is wanted
// out of order is read when it is. The caller calls stop.
func readAhead(steps []memory.Step, load Load) (loaded Load, stop func()) {
	var sessions []council.SessionID
	for _, s := range steps {
		if s.Session != nil {
			sessions = append(sessions, s.Session.ID)
		}
	}
	type log struct {
		entries []wire.Entry
		err     error
	}
	next, stop := iter.Pull2(prefetch.Each(slices.Compact(sessions), func(id council.SessionID) (l log) {
		l.entries, l.err = load(id)
		return l
	}))
	return func(id council.SessionID) ([]wire.Entry, error) {
		for {
			at, l, ok := next()
			if !ok {
				return load(id)
			}
			if at == id {
				return l.entries, l.err
			}
		}
	}, stop
}

// atHand makes load answer for some sessions with what is at hand.
func atHand(some []memory.Session, load Load) Load {
	return func(id council.SessionID) ([]wire.Entry, error) {
		if i := slices.IndexFunc(some, func(s memory.Session) bool { return s.ID == id }); i >= 0 {
			return some[i].Entries, nil
		}
		return load(id)
	}
}

// closedAt returns when a session closed, and when the last of its events was recorded. ok is false when it has not
// closed.
func closedAt(entries []wire.Entry) (closed, last time.Time, ok bool) {
	if at := wire.Closing(entries); at >= 0 {
		return entries[at].Time.UTC(), entries[len(entries)-1].Time.UTC(), true
	}
	return closed, last, false
}
