package store

import (
	"crypto/sha256"
	"errors"
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
	stuck  error // why a step could not be folded in, and so nothing after it
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
	return !g.from.absent && string(held) == string(memory.BookPage(g.from.book)) || g.stages[sha256.Sum256(held)]
}

// precise is a time as files hold it: in UTC, to the millisecond.
func precise(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// inTheWay reports whether an error is one owner's and the others can go on.
func inTheWay(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) || errors.Is(err, ErrUnreadable)
}
