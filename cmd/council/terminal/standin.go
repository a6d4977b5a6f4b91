package terminal

import (
	"fmt"

	"github.com/council-engine/council/council"
)

// standsIn says that another model than the configured one answered for a member, or that its own is back: once, when it
// changes.
func (t teller) standsIn(e council.Event) string {
	now, answered := paid(e)
	if !answered {
		return ""
	}
	before := council.Usage{}
	for i := len(t.events) - 1; i >= 0; i-- {
		if u, ok := paid(t.events[i]); ok && t.events[i].Actor == e.Actor && t.events[i].Seq < e.Seq {
			before = u
			break
		}
	}
	switch {
	case now.Provider == before.Provider && (now.Provider == "" || now.Model == before.Model):
		return ""
	case now.Provider == "":
		return fmt.Sprintf("  The model of %s answers again.", t.Name(e.Actor))
	}
	return fmt.Sprintf("  The model of %s is missing or down; %s/%s stands in.", t.Name(e.Actor), now.Provider, now.Model)
}

// paid is what a member's answer took; an event that no model was called for is none.
func paid(e council.Event) (council.Usage, bool) {
	a, ok := e.Answered()
	return a.Usage, ok && a.Usage.Calls > 0
}
