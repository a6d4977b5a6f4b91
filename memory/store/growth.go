package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

// growth is a book on its way from what is on disk to what the journal makes of it.
type growth struct {
	from   volume
	book   memory.Book
	moved  []moved
	member *council.Member            // who the member was in the last session, if there was one
	stages map[[sha256.Size]byte]bool // renderings of the book on the way, when a killed process may have left one
	caught int
	edits  []Edit // that are in the book now
	stuck  error  // why a step could not be folded in, and so nothing after it
}

func grow(v volume) *growth { return &growth{from: v, book: v.book} }

// lacks reports whether a step is still to be folded into the book.
func (g *growth) lacks(s memory.Step) bool { return g.stuck == nil && s.N > g.book.Step }

// fold takes in one step. An error means that the book is as it was, and that nothing newer may be taken in.
func (g *growth) fold(r rules, s memory.Step, logs *logs) error {
	var after memory.Book
	var left []memory.Record
	if s.Change != nil {
		var err error
		if after, left, err = r.apply(g.book, *s.Change, s.At); err != nil {
			return err
		}
	} else {
		session, err := logs.upTo(*s.Session)
		if err != nil {
			return err
		}
		after, left = r.close(g.book, session)
		if m := seatOf(session.Entries, g.book.Member); m != nil {
			g.member = m
		}
	}
	if s.Change != nil && len(s.Change.Drop) > 0 {
		g.moved = slices.DeleteFunc(g.moved, func(m moved) bool { return slices.Contains(s.Change.Drop, m.Record.ID) })
	}
	after.Format, after.Member, after.Step = memory.Format, g.book.Member, s.N
	g.book = after
	for _, record := range left {
		g.moved = append(g.moved, moved{Step: s.N, Root: after.Root, Record: record, Year: s.At.UTC().Year()})
	}
	return nil
}

// remember notes how the book is rendered now.
func (g *growth) remember() {
	if g.stages == nil {
		g.stages = map[[sha256.Size]byte]bool{}
	}
	g.stages[sha256.Sum256(memory.BookPage(g.book))] = true
}

// rendered reports whether a page is a rendering of the book as it was, or on its way.
func (g *growth) rendered(held []byte) bool {
	return g.accepts(held) || !g.from.absent && string(held) == string(memory.BookPage(g.from.book)) ||
		g.stages[sha256.Sum256(held)]
}

// accepts reports whether the book has what a person made of a file.
func (g *growth) accepts(held []byte) bool {
	return slices.ContainsFunc(g.edits, func(e Edit) bool { return bytes.Equal(e.text, held) })
}

// precise returns a time as files hold it: in UTC, to the millisecond.
func precise(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// inTheWay reports whether an error is one owner's and the others can go on.
func inTheWay(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) || errors.Is(err, ErrUnreadable)
}

// refold folds lines of the journal into fresh books: all, or only some. A book that lacks a session is stuck, and
// reported.
func (s *Store) refold(lines []journalLine, report *Report, only ...owner) map[owner]*growth {
	all := map[owner]*growth{}
	load, stop := readAhead(sessionsOf(lines), s.load)
	defer stop()
	logs := &logs{load: load}
	for _, l := range lines {
		for _, o := range concerns(l.Step) {
			if len(only) > 0 && !slices.Contains(only, o) {
				continue
			}
			g := all[o]
			if g == nil {
				g = grow(volume{owner: o, book: fresh(o), absent: true})
				all[o] = g
			}
			if g.stuck != nil {
				continue
			}
			if g.stuck = g.fold(s.rules, l.Step, logs); g.stuck != nil {
				report.stick(g, l)
			}
		}
	}
	return all
}

// ordered lists owners, the council first.
func ordered[T any](all map[owner]T) []owner { return slices.Sorted(maps.Keys(all)) }

// derived is a file as the journal yields it.
type derived struct {
	name string // within the owner's folder
	text []byte
	page bool // rendered: the source is another file
}

// derived lists the files of a book in the order in which they are written: the book last.
func (g *growth) derived() ([]derived, error) {
	o := g.from.owner
	var all []derived
	for _, year := range g.years() {
		var left []moved
		for _, m := range g.moved {
			if m.Year == year {
				left = append(left, m)
			}
		}
		text, page, err := wholeArchive(g.book.Member, year, left)
		if err != nil {
			return nil, err
		}
		all = append(all, derived{o.archive(year), text, false}, derived{o.archived(year), page, true})
	}
	if g.member != nil {
		all = append(all, derived{profile, memory.ProfilePage(*g.member), true})
	}
	text, err := encodeBook(g.book)
	return append(all, derived{o.page(), memory.BookPage(g.book), true}, derived{o.book(), text, false}), err
}

// years lists the years in which something left the book.
func (g *growth) years() []int {
	var all []int
	for _, m := range g.moved {
		if !slices.Contains(all, m.Year) {
			all = append(all, m.Year)
		}
	}
	slices.Sort(all)
	return all
}

// stick reports that a book cannot be brought past a step.
func (r *Report) stick(g *growth, l journalLine) {
	o := g.from.owner
	if l.Session != nil && errors.Is(g.stuck, errLacking) {
		r.lack(l.Session.ID, g.stuck)
	}
	r.leave(o, o.path(o.book()), behindAt(l.N, g.stuck))
}
