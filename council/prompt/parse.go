package prompt

import (
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/schemas"
)

// MaxReply is the longest reply that is read, in bytes.
const MaxReply = reply.MaxReply

// Parse reads the reply to the view's ask. A JSON answer is the whole text, or the one object in prose, in a code
// fence or after reasoning in <think> tags. What can mean only one thing is taken as it is meant; what is empty, or
// says two different things, is refused, and so is a verdict that stands in prose alone. A draft is Markdown, with the
// answers to blockers at its end. The error wraps [council.ErrBadReply] and says what to change, in words for the one
// who wrote the reply.
//
// A reply that was cut by a length limit must not come here: a document shows no sign of it.
//
// Where members know one another by pseudonyms, the body has the members that they stand for. Real ids, which no
// pseudonym can be, are read too: people and programs that are shown names answer with them.
func Parse(v council.View, text string) (council.Body, error) {
	hung := pseudonymsOf(v)
	if hung == nil {
		return reply.Parse(v, text)
	}
	body, err := reply.Parse(hung.view(v, v.Events), text)
	if err == nil && responses(body) == len(v.Blockers) {
		return hung.lift(v, body), nil
	}
	if plain, bad := reply.Parse(v, text); bad == nil && (err != nil || responses(plain) > responses(body)) {
		return plain, nil
	}
	if err != nil {
		return nil, err
	}
	return hung.lift(v, body), nil
}

// responses counts the answers to blockers.
func responses(b council.Body) int {
	d, _ := b.(council.Draft)
	return len(d.Responses)
}

// ReadRanking reads an order of options that a person wrote, such as "2 > 1 = 3"; unknown lists what names no option.
func ReadRanking(options []string, text string) (ranks council.Ranks, unknown []string) {
	return reply.Ranking(options, text)
}

// Refused reports whether a short text without JSON and without headings declines to answer. It is a heuristic for
// naming a fault; of what is used, it decides only that such a text is not a document.
func Refused(text string) bool { return reply.Refused(text) }

// Call reads a reply that calls a tool instead of answering the view's ask. It is false for everything else.
func Call(v council.View, text string) (council.ToolCall, bool) { return reply.Call(v, text) }

// contracts holds every contract by its name.
var contracts = sync.OnceValue(func() map[string]*Contract {
	all := map[string]*Contract{}
	for _, name := range schemas.Names() {
		if schema, ok := schemas.Get(name); ok && strings.HasPrefix(name, "reply.") {
			all[name] = &Contract{Name: name, Schema: schema}
		}
	}
	return all
})

// ContractOf returns the contract of a kind of ask, or nil where the answer is free Markdown. It is not to be changed.
func ContractOf(kind council.AskKind) *Contract { return contracts()["reply."+string(kind)] }
