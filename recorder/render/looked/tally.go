package looked

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/tool"
	"github.com/council-engine/council/recorder/render/artifact"
)

// Tally counts the calls of tools that a log tells of, by member. The zero value has taken in nothing.
type Tally struct {
	charter council.Charter
	of      map[council.MemberID]artifact.Lookups
	older   bool // a call was recorded by a version that did not say how much came back
}

// Take takes in the next event. One whose content was erased shows nothing.
func (t *Tally) Take(e council.Event) {
	if started, ok := e.Payload.(council.SessionStarted); ok {
		t.charter, t.of = started.Charter, map[council.MemberID]artifact.Lookups{}
	}
	reply, ok := e.Payload.(interface{ Used() []tool.Use })
	if !ok || t.of == nil {
		return
	}
	for _, u := range reply.Used() {
		n := t.of[e.Actor]
		n.Calls++
		n.Bytes += u.Bytes
		if u.Failed {
			n.Failed++
		}
		t.of[e.Actor] = n
		t.older = t.older || u.Bytes == 0
	}
}

// Report is the count of each member that has tools, in turn order. It is nil where none was called, and where the record
// does not say of every call how much came back, so that records of older versions are rendered as they were.
func (t *Tally) Report() []artifact.Lookups {
	if len(t.of) == 0 || t.older {
		return nil
	}
	var all []artifact.Lookups
	for _, id := range t.charter.Seats() {
		if m := t.charter.Member(id); m != nil && m.Tools != nil {
			n := t.of[id]
			n.Member = id
			all = append(all, n)
		}
	}
	return all
}
