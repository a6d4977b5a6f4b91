package fold

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/memory"
)

// bound lets go of what the book holds beyond [memory.MaxRecords]: first what is not active any more, the one updated
// longest ago first; then what has faded, likewise; then the least important, likewise.
func (f *folding) bound() {
	over := len(f.book.Records) - memory.MaxRecords
	if over <= 0 {
		return
	}
	type leaver struct{ index, rank, importance int }
	order := make([]leaver, len(f.book.Records))
	for i := range f.book.Records {
		r := &f.book.Records[i]
		order[i].index = i
		switch {
		case r.Status != memory.StatusActive:
		case f.book.Faded(*r):
			order[i].rank = 1
		default:
			order[i].rank, order[i].importance = 2, r.Importance
		}
	}
	slices.SortStableFunc(order, func(a, b leaver) int {
		return cmp.Or(a.rank-b.rank, a.importance-b.importance,
			f.book.Records[a.index].UpdatedAt.Compare(f.book.Records[b.index].UpdatedAt))
	})
	gone := make(map[int]bool, over)
	for _, l := range order[:over] {
		gone[l.index] = true
		f.left = append(f.left, f.book.Records[l.index])
	}
	kept := make([]memory.Record, 0, memory.MaxRecords)
	for i, r := range f.book.Records {
		if !gone[i] {
			kept = append(kept, r)
		}
	}
	f.book.Records = kept
}
