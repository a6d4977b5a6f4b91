package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Timeout gives each call of m at most limit. A call that takes longer ends as a retryable [CallError] of kind
// timeout, with the time it took by the clock now. A limit of 0 is none.
func Timeout(m Model, limit time.Duration, now func() time.Time) Model {
	if limit <= 0 {
		return m
	}
	return timeout{m, limit, now}
}

type timeout struct {
	model Model
	limit time.Duration
	now   func() time.Time
}

func (t timeout) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	bounded, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	start := t.now()
	c, err := t.model.Complete(bounded, p)
	// Only a call that ended because of our own deadline is a timeout: not one that was cancelled from above, and
	// not one that the provider refused in the last moment.
	if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return c, err
	}
	return prompt.Completion{}, &CallError{
		Fault:     council.Fault{Kind: council.FaultTimeout, Message: fmt.Sprintf("no whole reply within %s", t.limit)},
		Retryable: true,
		Usage:     council.Usage{Calls: 1, ElapsedMS: t.now().Sub(start).Milliseconds()},
	}
}
