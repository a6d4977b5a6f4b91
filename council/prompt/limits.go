package prompt

import (
	"github.com/council-engine/council/council"
)

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
