package memory

import "github.com/council-engine/council/council"

// Faded reports whether nothing has borne the record out for long: none of its evidence lies in the [Fade] sessions
// that closed last in this book. Only the order in which sessions closed counts, never the clock. A person's word
// counts at the session that closed last before it, and at the book's beginning when there was none.
func (b Book) Faded(r Record) bool {
	_, at := b.places().newest(r.Evidence)
	return at < 1
}

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

func (b *Book) places() *places {
	recent := b.Recent[max(0, len(b.Recent)-Fade):]
	p := &places{at: make(map[council.SessionID]int, len(recent)+1)}
	for i, c := range recent {
		p.at[c.Session] = Fade - len(recent) + i + 1
	}
	if b.Sessions < Fade {
		p.at[""] = Fade - b.Sessions // before the first session
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
