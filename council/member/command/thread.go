package command

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// thread is the conversation that an agent keeps on its side: what it has been told in it. The zero value is
// none.
type thread struct {
	session string // the agent's own name for it
	system  prompt.System
	said    []string
	took    council.Usage // what the agent counted for all of it, if it does so
}

// turn returns what the last turn of a conversation took that began or went on as next said, and by how much r says
// that all of it did.
func (t *thread) turn(r reply, session string) (took, all council.Usage) {
	if !r.summed {
		return r.Usage, council.Usage{}
	}
	took = r.Usage
	if session != "" {
		less := func(n *int64, before int64) { *n = max(0, *n-before) }
		less(&took.InputTokens, t.took.InputTokens)
		less(&took.CachedTokens, t.took.CachedTokens)
		less(&took.CacheWriteTokens, t.took.CacheWriteTokens)
		less(&took.OutputTokens, t.took.OutputTokens)
		less(&took.ReasoningTokens, t.took.ReasoningTokens)
	}
	return took, r.Usage
}

// next returns the text that puts p to the agent, and the conversation that it continues, if any. It continues when the
// agent has been told everything but the last message, in this order; what it was told besides, such as a question that
// came to nothing, does no harm.
func (t *thread) next(p prompt.Prompt) (text, session string) {
	told := told(p)
	last := len(told) - 1
	if t.session == "" || t.system != p.System || last < 1 {
		return whole(p), ""
	}
	known := 0
	for _, said := range t.said {
		if known < last && said == told[known] {
			known++
		}
	}
	if known < last {
		return whole(p), ""
	}
	return told[last], t.session
}

// told notes that the agent was told all of p, in the conversation that it names, and what it counts for that. One that
// it does not name cannot be continued.
func (t *thread) told(p prompt.Prompt, session string, took council.Usage) {
	if session == "" {
		*t = thread{}
		return
	}
	if session != t.session {
		*t = thread{session: session, system: p.System}
	}
	t.took = took
	all := told(p)
	if len(t.said) > 0 {
		all = all[len(all)-1:]
	}
	t.said = append(t.said, all...)
}

// told returns the messages to the member: the others are its own.
func told(p prompt.Prompt) []string {
	var messages []string
	for _, m := range p.Messages {
		if m.Role == prompt.User {
			messages = append(messages, m.Content)
		}
	}
	return messages
}

// whole returns all of a prompt in one text. The lines that name the speaker have a mark that no text could foresee.
func whole(p prompt.Prompt) string {
	var b strings.Builder
	for _, part := range []string{p.System.Shared, p.System.Persona} {
		if part = strings.TrimSpace(part); part != "" {
			fmt.Fprintf(&b, "%s\n\n", part)
		}
	}
	if len(p.Messages) == 1 {
		b.WriteString(p.Messages[0].Content)
		return b.String()
	}
	mark := p.Digest[:min(len(p.Digest), 16)]
	fmt.Fprintf(&b,
		"Your conversation with the council so far follows. Lines that begin with [%s] say who speaks. Answer the last "+
			"message.\n", mark)
	for _, m := range p.Messages {
		who := "The council"
		if m.Role == prompt.Assistant {
			who = "You"
		}
		fmt.Fprintf(&b, "\n[%s] %s:\n%s\n", mark, who, m.Content)
	}
	return b.String()
}
