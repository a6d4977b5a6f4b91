package member

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Limits bound the time of one call. 0 is no limit.
type Limits struct {
	Begin time.Duration // until the provider begins its reply
	Whole time.Duration // from there to the end of the reply; from the call on, where Begin is 0
}

// unbegun is how long a provider may think about a prompt before the wait for its first word is told.
const unbegun = 30 * time.Second

// errLate ends a call of which a limit has passed.
var errLate = errors.New("a time limit has passed")

// Timeout holds each call of m to limits; see [Begun]. A call that takes longer ends as a retryable [CallError] of
// kind timeout, with the time it took by the clock now.
func Timeout(m Model, limits Limits, now func() time.Time) Model {
	if limits == (Limits{}) {
		return m
	}
	return ModelFunc(func(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
		call, end := context.WithCancelCause(ctx)
		defer end(nil)
		start := now()
		limit, late := limits.Whole, fmt.Sprintf("no whole reply within %s", limits.Whole)
		if limits.Begin > 0 {
			limit = limits.Begin
		}
		timer := time.AfterFunc(limit, func() { end(errLate) })
		defer timer.Stop()
		var begun atomic.Bool
		if limits.Begin > 0 {
			over := tellAfter(ctx, unbegun, Wait{p.View.Ask.Member, "a reply that has not begun", limits.Begin})
			defer over()
			call = onBegun(call, func() {
				if begun.Swap(true) {
					return
				}
				over()
				if timer.Stop() && limits.Whole > 0 {
					timer.Reset(limits.Whole)
				}
			})
		}
		c, err := m.Complete(call, p)
		// Only a call that ended because of our own limit is late: not one that was cancelled from above, and not one that
		// the provider refused in the last moment.
		if err == nil || ctx.Err() != nil || context.Cause(call) != errLate || !errors.Is(err, context.Canceled) {
			return c, err
		}
		if limits.Begin > 0 && !begun.Load() {
			late = fmt.Sprintf("the reply did not begin within %s", limits.Begin)
		}
		return prompt.Completion{}, &CallError{
			Fault:     council.Fault{Kind: council.FaultTimeout, Message: late},
			Retryable: true,
			Usage:     council.Usage{Calls: 1, ElapsedMS: now().Sub(start).Milliseconds()},
		}
	})
}
