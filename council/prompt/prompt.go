// Package prompt turns an ask and its view into the messages a model is sent, and a reply's text back into a body.
//
// Both directions are pure. What a member is sent over a session is one append-only conversation: a later prompt
// extends an earlier one, so that a provider's prompt cache can serve what it has seen, and the whole conversation
// can be derived again from the session's log.
package prompt

import (
	"encoding/json"

	"github.com/council-engine/council/council"
)

// Prompt is everything that one call sends.
type Prompt struct {
	View     council.View // what the member may know; members that are no language models read it directly
	Try      int          // 1 for the question itself, 2 and 3 for its repairs
	System   System
	Messages []Message // alternately user and assistant, beginning and ending with user
	Fresh    int       // index of the first message that the member's previous prompt did not have
	Restart  int       // how often the conversation has been started again from a digest
	Contract *Contract // nil where the reply is free Markdown
	form     string    // of the answer, where the question does not give it again
	Digest   string    // SHA-256 over System and Messages, in hexadecimal
}

// Bytes returns the size of all that is sent, what providers wrap it in apart.
func (p Prompt) Bytes() int64 {
	n := len(p.System.Shared) + len(p.System.Persona)
	for _, m := range p.Messages {
		n += len(m.Content)
	}
	return int64(n)
}

// System is what comes before the conversation.
type System struct {
	Shared  string // charter, topic and context documents: the same for all members of a session
	Persona string // who the member is and how it is to answer
}

// Message is one message of the conversation.
type Message struct {
	Role    Role
	Content string
}

// Role says who speaks in a conversation.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Contract is the JSON Schema that a reply must meet.
type Contract struct {
	Name   string          // as in schemas/, such as "reply.ballot"
	Schema json.RawMessage // draft 2020-12
	OrCall bool            // the reply may call a tool instead
}

// Completion is what came back from a call.
type Completion struct {
	Text      string
	Stop      Stop
	Usage     council.Usage // of this call; Usage.Model is the model as the provider reports it
	RequestID string        // the provider's own name for the call
	Cut       []council.Cut // secrets that were taken out of it
	Hidden    []council.Cut // characters in it that readers do not see
}

// Stop says why a model stopped writing.
type Stop string

// The reasons to stop. Length: the reply was cut by a token limit. TooLong: it had more text than is taken of one.
const (
	StopEnd     Stop = "end"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
	StopTooLong Stop = "too-long"
)
