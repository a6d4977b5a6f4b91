package memory

import "github.com/council-engine/council/council"

// Faded reports whether nothing has borne the record out for long: none of its evidence lies in the [Fade] sessions
// that closed last in this book, or of rehearsals what rehearsals left. Only the order in which sessions closed counts,
// never the clock. A person's word counts at the session that closed last before it, and at the book's beginning when
// there was none.
func (b Book) Faded(r Record) bool {
	_, at := b.calendar().newest(&r)
	return at < 1
}

// Unfaded lists the sessions that have not faded.
func (b Book) Unfaded() []council.SessionID {
	cal := b.calendar()
	var all []council.SessionID
	for _, c := range b.Recent {
		if cal.of(c.Rehearsed).at[c.Session] > 0 {
			all = append(all, c.Session)
		}
	}
	return all
}

// calendar counts sessions and rehearsals apart: a rehearsal makes nothing older that a session left, nor the other way
// round.
type calendar struct{ sessions, rehearsals *places }

func (b *Book) calendar() calendar {
	return calendar{b.places(false, b.Sessions-b.Rehearsals), b.places(true, b.Rehearsals)}
}

func (c calendar) of(rehearsed bool) *places {
	if rehearsed {
		return c.rehearsals
	}
	return c.sessions
}

// newest is [places.newest] of a record's evidence.
func (c calendar) newest(r *Record) (index, newest int) { return c.of(r.Rehearsed).newest(r.Evidence) }

// places numbers the sessions that have not faded in the order in which they closed, the newest highest and from 1 at
// least. What is not among them has faded.
type places struct {
	at   map[council.SessionID]int
	last [2]place // looked up last, by the position of the evidence: records that stand together come from few sessions
}

type place struct {
	session council.SessionID
	at      int
}

// places numbers the rehearsals, or the other sessions, of which there were so many. One of the other sort, after which
// a person may have spoken, has the number of the session before it.
func (b *Book) places(rehearsed bool, sessions int) *places {
	p := &places{at: make(map[council.SessionID]int, len(b.Recent)+1)}
	n := Fade
	for i := len(b.Recent) - 1; i >= 0 && n > 0; i-- {
		p.at[b.Recent[i].Session] = n
		if b.Recent[i].Rehearsed == rehearsed {
			n--
		}
	}
	if sessions < Fade {
		p.at[""] = Fade - sessions // before the first session
	}
	for i := range p.last {
		p.last[i].at = p.at[""]
	}
	return p
}

// newest returns the index of the evidence whose session closed last, and that session's place. Of several in one
// session it is the last. The index is -1 and the place 0 when all of it has faded.
func (p *places) newest(evidence []Evidence) (index, newest int) {
	index = -1
	for i := range evidence {
		last := &p.last[i%len(p.last)]
		if id := evidence[i].SessionID; last.session != id {
			*last = place{session: id, at: p.at[id]}
		}
		if last.at > 0 && last.at >= newest {
			index, newest = i, last.at
		}
	}
	return index, newest
}
