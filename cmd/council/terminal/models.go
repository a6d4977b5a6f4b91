package terminal

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// models follows which models answer for members, and what their servers count. It is a fold of the log: take is given
// each event once, in their order. The zero value is ready.
type models struct {
	last    map[council.MemberID]council.Usage
	prompts minutes.Prompts
	cut     map[council.PricedModel]bool // whose servers cut prompts, as was told
}

// take takes in an event and returns what is to be told of it: that another model than the configured one answered for
// a member, or its own again; and that a member's server seems to have left out a part of its prompt, once for each
// model.
func (m *models) take(c *council.Charter, e council.Event) []string {
	a, ok := e.Answered()
	who := c.Member(e.Actor)
	if !ok || a.Usage.Calls == 0 || who == nil {
		return nil
	}
	if m.last == nil {
		m.last, m.cut = map[council.MemberID]council.Usage{}, map[council.PricedModel]bool{}
	}
	var lines []string
	now, before := a.Usage, m.last[e.Actor]
	m.last[e.Actor] = now
	switch {
	case now.Provider == before.Provider && (now.Provider == "" || now.Model == before.Model):
	case now.Provider == "":
		lines = append(lines, fmt.Sprintf("  The model of %s answers again.", Line(who.Name)))
	default:
		lines = append(lines, fmt.Sprintf("  The model of %s is missing or down; %s/%s stands in.", Line(who.Name),
			now.Provider, now.Model))
	}
	if model := who.Model.Priced(); m.prompts.Fell(e.Actor, now) && !m.cut[model] {
		m.cut[model] = true
		lines = append(lines, fmt.Sprintf("  The server of %s counted fewer tokens of a longer prompt: it seems to leave "+
			"out a part without a word. Give it a larger context (council doctor says how); what is left out the member does "+
			"not know.", Line(who.Name)))
	}
	return lines
}
