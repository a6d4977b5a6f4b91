package memory

import (
	"slices"

	"github.com/council-engine/council/council"
)

// Faded reports whether nothing has borne the record out for long: none of its evidence lies in the [Fade] sessions
// that closed last in this book, or of rehearsals what rehearsals left. Only the order in which sessions closed counts,
// never the clock. A person's word counts at the session that closed last before it, and at the book's beginning when
// there was none.
func (b Book) Faded(r Record) bool {
	return b.calendar().faded(&r)
}

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

// calendar numbers the sessions that have not faded in the order in which they closed, the newest highest and from 1 at
// least: for what rehearsals left the rehearsals, and for all else the other sessions, so that neither makes the other
// older. One of the other sort, after which a person may have spoken, has the number of the session before it. What is
// not in it has faded.
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

// newest returns the index of a record's evidence whose session closed last, and that session's number. Of several in
// one session it is the last. The index is -1 and the number 0 when all of it has faded.
func (c calendar) newest(r *Record) (index, newest int) {
	index = -1
	of := c[r.Rehearsed]
	for i := range r.Evidence {
		if at := of[r.Evidence[i].SessionID]; at > 0 && at >= newest {
			index, newest = i, at
		}
	}
	return index, newest
}

func (c calendar) faded(r *Record) bool {
	_, at := c.newest(r)
	return at < 1
}
