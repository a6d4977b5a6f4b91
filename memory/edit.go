package memory

import (
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/internal/hostile"
)

// Edited is a record as it stands in a file that a person edited. Its line is where the record begins.
type Edited struct {
	Record
	Line int
}

// Correction is what a person's edit makes of one record.
type Correction struct {
	Before, After Record
	Removed       bool // the person took the record out of the file, so it is resolved
}

// Corrections returns what the records of an edited file make of a book, in the order of the book. A record of the book
// that is not among them was taken out, and becomes resolved unless it is superseded already. Of the others counts what
// `council memory edit` can change: the words, kind, status, tags, importance, confidence and expiry.
//
// The error begins with the number of the line that cannot be taken in, and a colon: the record is unknown or stands
// there twice, or it is not what a book can hold.
func Corrections(b Book, all []Edited, now time.Time) ([]Correction, error) {
	now = Precise(now)
	at := map[string]Edited{}
	for _, e := range all {
		if slices.IndexFunc(b.Records, func(r Record) bool { return r.ID == e.ID }) < 0 {
			return nil, fmt.Errorf("%d: there is no record %.80q in this book; to add one, use council memory add", e.Line, e.ID)
		}
		if first, twice := at[e.ID]; twice {
			return nil, fmt.Errorf("%d: %s stands here twice, first in line %d", e.Line, e.ID, first.Line)
		}
		at[e.ID] = e
	}
	var found []Correction
	for _, r := range b.Records {
		e, there := at[r.ID]
		c := Correction{Before: r, After: r.Clone(), Removed: !there}
		switch {
		case there:
			if problem := c.take(e.Record, now); problem != "" {
				return nil, fmt.Errorf("%d: %s: %s", e.Line, r.ID, problem)
			}
			if err := CheckRecord(c.After); err != nil {
				return nil, fmt.Errorf("%d: %w", e.Line, err)
			}
		case r.Status != StatusSuperseded && r.Status != StatusResolved:
			c.setStatus(StatusResolved, now)
		}
		if len(c.Fields()) > 0 {
			found = append(found, c)
		}
	}
	return found, nil
}

// take puts what a person may change of a record into the record after the edit, or returns what is wrong.
func (c *Correction) take(e Record, now time.Time) (problem string) {
	r := &c.After
	r.Kind, r.Importance, r.Confidence, r.ExpiresAt = e.Kind, e.Importance, e.Confidence, e.ExpiresAt
	r.Summary, r.Detail = hostile.Line(e.Summary), hostile.Line(e.Detail)
	r.Tags = slices.Compact(slices.Sorted(slices.Values(e.Tags)))
	if r.ExpiresAt != nil {
		r.ExpiresAt = new(Precise(*e.ExpiresAt))
	}
	if e.Status == c.Before.Status {
		return ""
	}
	if e.Status == StatusSuperseded || c.Before.Status == StatusSuperseded {
		return "which record stands in its place is said by council memory supersede; council memory edit --status " +
			"makes it hold again"
	}
	if e.Status == StatusActive && r.ExpiresAt != nil && !now.Before(*r.ExpiresAt) {
		return "it held until " + day(*r.ExpiresAt) + "; council memory edit --status active --expires says how long it " +
			"holds now"
	}
	c.setStatus(e.Status, now)
	return ""
}

func (c *Correction) setStatus(s Status, now time.Time) {
	c.After.Status, c.After.ResolvedAt = s, nil
	if s == StatusResolved {
		c.After.ResolvedAt = &now
	}
}

// Fields lists what the edit changes, each as a name and the values before and after.
func (c *Correction) Fields() [][3]string {
	var all [][3]string
	add := func(name, before, after string) {
		if before != after {
			all = append(all, [3]string{name, before, after})
		}
	}
	b, a := &c.Before, &c.After
	add("summary", b.Summary, a.Summary)
	add("detail", b.Detail, a.Detail)
	add("kind", b.Kind.Words(), a.Kind.Words())
	add("status", string(b.Status), string(a.Status))
	add("importance", fmt.Sprint(b.Importance), fmt.Sprint(a.Importance))
	add("confidence", fmt.Sprint(b.Confidence), fmt.Sprint(a.Confidence))
	add("tags", each(b.Tags, hostile.Line), each(a.Tags, hostile.Line))
	add("expiry", until(b), until(a))
	return all
}

func until(r *Record) string {
	if r.ExpiresAt == nil {
		return "none"
	}
	return r.ExpiresAt.Format(time.RFC3339)
}
