package store

import (
	"errors"
	"maps"
	"slices"

	"github.com/council-engine/council/memory"
)

// refold folds lines of the journal into fresh books. A book that lacks a session is stuck, which the report says.
func (s *Store) refold(lines []journalLine, report *Report) map[owner]*growth {
	all := map[owner]*growth{}
	load, stop := readAhead(sessionsOf(lines), s.load)
	defer stop()
	logs := &logs{load: load}
	for _, l := range lines {
		for _, o := range ownersOf(concerns(l.Step)) {
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
