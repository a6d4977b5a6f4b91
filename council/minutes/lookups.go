package minutes

import "github.com/council-engine/council/council"

// Lookups tells how often one member called tools, and what came back.
type Lookups struct {
	Member council.MemberID `json:"member"`
	Calls  int              `json:"calls"`
	Failed int              `json:"failed"` // calls that came to nothing
	Bytes  int              `json:"bytes"`  // that the member was told, also of why a call failed
}

// lookups counts the calls of tools by member.
type lookups struct {
	of    map[council.MemberID]Lookups
	older bool // a call was recorded by a version that did not count the bytes
}

func (l *lookups) take(e council.Event) {
	a, _ := e.Answered()
	for _, u := range a.Tools {
		if l.of == nil {
			l.of = map[council.MemberID]Lookups{}
		}
		n := l.of[e.Actor]
		n.Calls++
		n.Bytes += u.Bytes
		if u.Failed {
			n.Failed++
		}
		l.of[e.Actor] = n
		l.older = l.older || u.Bytes == 0
	}
}

// Lookups counts the calls of each member that has tools, in turn order. It is nil where none was called, and where the
// record does not tell of every call how much came back, so that records of older versions are rendered as they were.
func (m *Minutes) Lookups() []Lookups {
	if len(m.counted().looked.of) == 0 || m.counted().looked.older {
		return nil
	}
	charter := &m.Started.Charter
	var all []Lookups
	for _, id := range charter.Seats() {
		if seat := charter.Member(id); seat != nil && seat.Tools != nil {
			n := m.counted().looked.of[id]
			n.Member = id
			all = append(all, n)
		}
	}
	return all
}
