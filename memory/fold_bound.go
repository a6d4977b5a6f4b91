package memory

import (
	"cmp"
	"slices"
)

// waiting is how many open matters a book keeps for a later session to settle, and how many decisions and positions for
// a later one to take the place of, however long ago they have faded. A fold sees the book and not its archives: what
// has left can be settled by a person only.
const waiting = MaxRecords / 3

// bound lets go of what the book holds beyond [MaxRecords]: first what rehearsals left, then what is not active any more, the one updated
// longest ago first; then what has faded, likewise; then the least important, likewise. What waits to be settled stays.
func (f *folding) bound() {
	over := len(f.book.Records) - MaxRecords
	if over <= 0 {
		return
	}
	type leaver struct{ index, sort, rank, importance int }
	order := make([]leaver, len(f.book.Records))
	for i := range f.book.Records {
		r := &f.book.Records[i]
		order[i].index = i
		if !r.Rehearsed {
			order[i].sort = 1
		}
		switch {
		case r.Status != StatusActive:
		case f.book.Faded(*r):
			order[i].rank = 1
		default:
			order[i].rank, order[i].importance = 2, r.Importance
		}
	}
	for _, i := range append(f.waits(false), f.waits(true)...) {
		order[i].rank = 3 // fewer than a book has room for, so none of them leaves but for what rehearsals left
	}
	slices.SortStableFunc(order, func(a, b leaver) int {
		return cmp.Or(a.sort-b.sort, a.rank-b.rank, a.importance-b.importance,
			f.book.Records[a.index].UpdatedAt.Compare(f.book.Records[b.index].UpdatedAt))
	})
	gone := make(map[int]bool, over)
	for _, l := range order[:over] {
		gone[l.index] = true
		f.left = append(f.left, f.book.Records[l.index])
	}
	kept := make([]Record, 0, MaxRecords)
	for i, r := range f.book.Records {
		if !gone[i] {
			kept = append(kept, r)
		}
	}
	f.book.Records = kept
}

// waits lists the records that a session to come may settle or take the place of: of each sort those updated last.
func (f *folding) waits(rehearsed bool) []int {
	var open, standing []int
	for i := range f.book.Records {
		switch r := &f.book.Records[i]; {
		case r.Status != StatusActive, r.Rehearsed != rehearsed:
		case r.Kind == KindOpenLoop:
			open = append(open, i)
		case r.Kind == KindDecision, slices.Contains(r.Tags, markStance):
			standing = append(standing, i)
		}
	}
	var all []int
	for _, sort := range [][]int{open, standing} {
		slices.SortStableFunc(sort, func(a, b int) int {
			return f.book.Records[b].UpdatedAt.Compare(f.book.Records[a].UpdatedAt)
		})
		all = append(all, sort[:min(len(sort), waiting)]...)
	}
	return all
}
