package memory

import (
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/council"
)

// FoldChange returns the book with a person's change made at the given time, and what left the book by its bounds, in
// the order in which it left. A record whose id is in the book takes that one's place; any other comes last. The
// records of the book that a put one supersedes are marked so; those that are not in the book are left alone.
//
// Nothing is filled in: the records must be whole, see [CheckRecord]. The error is [ErrBadRecord]; the book is then as
// it was.
func FoldChange(b Book, c Change, at time.Time) (after Book, left []Record, err error) {
	if c.Member != b.Member {
		return b, nil, fmt.Errorf("%w: the change is to %s, not to %s",
			ErrBadRecord, bookOf(c.Member), bookOf(b.Member))
	}
	put := map[string]bool{}
	for _, r := range c.Put {
		if err := CheckRecord(r); err != nil {
			return b, nil, err
		}
		if put[r.ID] {
			return b, nil, fmt.Errorf("%w: %s stands in the change twice", ErrBadRecord, r.ID)
		}
		put[r.ID] = true
	}
	f := beginFold(b, &reading{})
	for _, r := range c.Put {
		if i := f.index(r.ID); i >= 0 {
			f.book.Records[i] = r.Clone()
		} else {
			f.book.Records = append(f.book.Records, r.Clone())
		}
	}
	at = Precise(at)
	for _, r := range c.Put {
		for _, id := range r.Supersedes {
			if i := f.index(id); i >= 0 && f.book.Records[i].Status != StatusSuperseded {
				old := &f.book.Records[i]
				old.Status, old.ResolvedAt = StatusSuperseded, nil
				f.touch(old, at)
			}
		}
	}
	f.drop(c.Drop, at)
	f.expire(at)
	f.bound()
	return f.book, f.left, nil
}

// drop takes forgotten records out. What one of them had taken the place of holds again, unless another stands there.
func (f *folding) drop(ids []string, at time.Time) {
	var freed []string
	f.book.Records = slices.DeleteFunc(f.book.Records, func(r Record) bool {
		gone := slices.Contains(ids, r.ID)
		if gone {
			freed = append(freed, r.Supersedes...)
		}
		return gone
	})
	for _, id := range freed {
		i := f.index(id)
		heir := slices.ContainsFunc(f.book.Records, func(r Record) bool { return slices.Contains(r.Supersedes, id) })
		if i >= 0 && !heir && f.book.Records[i].Status == StatusSuperseded {
			f.book.Records[i].Status = StatusActive
			f.touch(&f.book.Records[i], at)
		}
	}
}

func bookOf(m council.MemberID) string {
	if m == "" {
		return "the council's book"
	}
	return "the book of " + string(m)
}
