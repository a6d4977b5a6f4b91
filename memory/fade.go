package memory

import (
	"slices"

	"github.com/council-engine/council/council"
)

// Faded reports whether none of a record's evidence is from the [Fade] sessions that closed last in this book, or for a
// rehearsal's record from the last rehearsals. Only the order of closes counts, never the clock. A person's word counts
// at the session that closed last before it, and at the book's beginning when there was none.
func (b Book) Faded(r Record) bool { return b.calendar().hasFaded(&r) }

// Unfaded lists the sessions that have not faded.
func (b Book) Unfaded() []council.SessionID {
	cal := b.calendar()
	var all []council.SessionID
	for _, c := range b.Recent {
		if cal[c.Rehearsed][c.Session] > 0 {
			all = append(all, c.Session)
		}
	}
	return all
}

// calendar numbers the sessions that have not faded, the newest highest and from 1 up: for records of rehearsals the
// rehearsals, for all others the other sessions, so that neither makes the other older. A session of the other sort,
// after which a person may have spoken, has the number of the session before it.
type calendar map[bool]map[council.SessionID]int

func (b *Book) calendar() calendar {
	c := calendar{}
	for rehearsed, sessions := range map[bool]int{false: b.Sessions - b.Rehearsals, true: b.Rehearsals} {
		at, n := make(map[council.SessionID]int, len(b.Recent)+1), Fade
		for _, s := range slices.Backward(b.Recent) {
			at[s.Session] = n
			if s.Rehearsed == rehearsed {
				n--
			}
		}
		if sessions < Fade {
			at[""] = Fade - sessions // before the first session
		}
		c[rehearsed] = at
	}
	return c
}

// newestEvidence returns the index of a record's evidence whose session closed last, and that session's number; -1 and
// 0 when all of it has faded. Of several in one session it is the last. A person's rule never fades.
func (c calendar) newestEvidence(r *Record) (index, newest int) {
	index = -1
	of := c[r.Rehearsed]
	for i := range r.Evidence {
		if at := of[r.Evidence[i].SessionID]; at > 0 && at >= newest {
			index, newest = i, at
		}
	}
	if r.isRule() {
		newest = max(newest, 1)
	}
	return index, newest
}

func (c calendar) hasFaded(r *Record) bool {
	_, at := c.newestEvidence(r)
	return at < 1
}
