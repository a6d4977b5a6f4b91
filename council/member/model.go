// Package member seats models at a council: it asks, waits, retries, repairs and keeps a tape, as plain decorators
// around one interface.
//
// The package is stable as docs/library.md says.
package member

import (
	"context"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Model answers one prompt by one call and does not try again by itself.
type Model interface {
	// Complete returns what the model wrote. Its error is a *CallError, or ctx's error when ctx ended. One with a
	// tape may also return a *TapeError.
	Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error)
}

// ModelFunc is a function that is a [Model].
type ModelFunc func(ctx context.Context, p prompt.Prompt) (prompt.Completion, error)

// Complete calls f.
func (f ModelFunc) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	return f(ctx, p)
}

// CallError is a call that brought no completion.
type CallError struct {
	Fault      council.Fault
	RetryAfter time.Duration // what the provider asked us to wait; 0 when it did not say
	Retryable  bool          // whether the same call may succeed in a moment
	Usage      council.Usage // of what was paid all the same
}

func (e *CallError) Error() string { return e.Fault.Error() }

// Unwrap lets errors.As find the fault.
func (e *CallError) Unwrap() error { return &e.Fault }

// Tape keeps what was sent to one member and what came back. It is the write-ahead of paid replies: Asked returns
// when the question is durable, Answered when the reply is.
type Tape interface {
	// Recall returns the reply to p that is on the tape already.
	Recall(p prompt.Prompt) (prompt.Completion, bool, error)
	Asked(p prompt.Prompt) error
	Answered(p prompt.Prompt, c prompt.Completion) error
	// Failed notes a call that brought nothing.
	Failed(p prompt.Prompt, f council.Fault) error
}
