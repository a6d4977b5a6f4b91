package terminal

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// promptCut says that a member's server seems to have left out a part of its prompt: once for each model, when it first shows.
func (t teller) promptCut(e council.Event) string {
	var prompts minutes.Prompts
	for _, before := range t.events {
		u, answered := paid(before)
		if !answered || before.Seq > e.Seq || !prompts.Fell(before.Actor, u) || !t.sameModel(before.Actor, e.Actor) {
			continue
		}
		if before.Seq < e.Seq {
			return ""
		}
		return fmt.Sprintf("  The server of %s counted fewer tokens of a longer prompt: it seems to leave out a part without a word. "+
			"Give it a larger context (council doctor says how); what is left out the member does not know.", t.Name(e.Actor))
	}
	return ""
}

func (t teller) sameModel(a, b council.MemberID) bool {
	one, other := t.charter.Member(a), t.charter.Member(b)
	return one != nil && other != nil && one.Model.Priced() == other.Model.Priced()
}
