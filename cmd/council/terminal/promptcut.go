package terminal

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/story"
)

// promptCut says that a member's server seems to have left out a part of its prompt: once, when it first shows.
func (t teller) promptCut(e council.Event) string {
	var prompts story.Prompts
	for _, before := range t.events {
		u, answered := paid(before)
		if !answered || before.Actor != e.Actor || before.Seq > e.Seq {
			continue
		}
		if prompts.Fell(before.Actor, u) && before.Seq == e.Seq {
			return fmt.Sprintf("  The server of %s counted fewer tokens of a longer prompt: it seems to leave out a part without a word. "+
				"Give it a larger context (council doctor says how); what is out of it the member does not know.", t.name(e.Actor))
		}
	}
	return ""
}
