// Package engine drives one session: it puts open asks to members, records what comes back, and goes on.
package engine

import (
	"context"

	"github.com/council-engine/council/council"
)

// Member answers the asks put to one seat.
type Member interface {
	// Answer blocks until there is a reply, or a fault that says why there is none. When ctx ends it returns
	// promptly with a fault of kind cancelled.
	Answer(ctx context.Context, v council.View) council.Reply
}

// Log makes events durable before the session takes them in.
type Log interface {
	// Append returns when the event is on disk. After an error nothing more may be appended.
	Append(e council.Event) error
}
