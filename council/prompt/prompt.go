// Package prompt turns an ask and its view into the messages a model is sent, and a reply's text back into a body.
//
// Both directions are pure. What a member is sent over a session is one append-only conversation: a later prompt
// extends an earlier one, so that a provider's prompt cache can serve what it has seen, and the whole conversation
// can be derived again from the session's log.
package prompt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"

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

// Digest returns the SHA-256 over everything that a prompt sends, in hexadecimal: each part with its length before it,
// so that no two different prompts run together. [Prompt.Digest] holds it.
func Digest(system System, messages []Message) string {
	return digestWith(sumSystem(system), messages...)
}

func sumSystem(s System) hash.Cloner {
	sum := sha256.New().(hash.Cloner) // as all hashes of the standard library are
	sumParts(sum, s.Shared, s.Persona)
	return sum
}

func sumMessage(sum hash.Hash, m Message) { sumParts(sum, string(m.Role), m.Content) }

// sumParts adds parts. Writing to a hash never fails.
func sumParts(sum hash.Hash, parts ...string) {
	for _, part := range parts {
		_ = binary.Write(sum, binary.BigEndian, uint64(len(part)))
		_, _ = io.WriteString(sum, part)
	}
}

// digestWith returns the digest of what sum holds and further messages. It does not change sum, so that a prompt's
// digest costs what is new in the prompt.
func digestWith(sum hash.Cloner, messages ...Message) string {
	with, err := sum.Clone()
	if err != nil {
		panic(err) // the standard library's SHA-256 can be cloned
	}
	for _, m := range messages {
		sumMessage(with, m)
	}
	return hex.EncodeToString(with.Sum(nil))
}

// Limits bound a conversation, in bytes of its messages; the system part comes on top. Zero means the default.
type Limits struct {
	// a prompt that would exceed it starts the conversation again; default [MaxBytes], or what the model's context has
	// room for
	MaxBytes  int
	KeepBytes int // how much of the record, the newest, a new start carries over; default 60,000
}

// MaxBytes is how long a conversation becomes before it starts again from a digest, where the model's context is not
// known to be smaller.
const MaxBytes = 240_000

const defaultKeepBytes = 60_000

// leastBytes is the least that a conversation is cut down to: a question, what it is about, and a digest of the rest. A
// model that does not hold as much cannot follow a debate.
const leastBytes = 6_000

// of settles limits for the seat of a view. They follow from the charter alone, so that a conversation is the same
// whenever it is laid out.
func (l Limits) of(v council.View, s System) Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = MaxBytes
		if room := room(v, len(s.Shared)); room > 0 {
			l.MaxBytes = min(l.MaxBytes, room)
		}
	}
	if l.KeepBytes <= 0 {
		l.KeepBytes = defaultKeepBytes
	}
	// A new start that is as long as the limit would be followed by another at once.
	l.KeepBytes = min(l.KeepBytes, l.MaxBytes/2)
	return l
}

// room returns how many bytes of conversation the context of a seat's model holds beside the system part and a reply; 0
// where the context is not known.
func room(v council.View, shared int) int {
	if v.Seat == nil || v.Seat.Model.ContextWindow <= 0 {
		return 0
	}
	tokens := v.Seat.Model.ContextWindow - ReplyTokens(v.Seat.Model)
	system := shared + max(len(persona(v, true)), len(persona(v, false)))
	return max(leastBytes, tokens*council.BytesPerToken-system)
}

// ReplyTokens returns how much of a model's context is kept free for a reply: its bound, or else a quarter of a small
// context.
func ReplyTokens(m council.Model) int {
	const usual = 4096
	switch {
	case m.MaxTokens > 0:
		return m.MaxTokens
	case m.ContextWindow > 0:
		return min(usual, m.ContextWindow/4)
	}
	return usual
}
