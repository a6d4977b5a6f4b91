package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Limit makes each call of m wait for its turn in l, which is shared by all members that use one provider with one
// key. The waiting, by the clock now, counts as elapsed time of the call.
func Limit(m Model, l *rate.Limiter, now func() time.Time) Model {
	return ModelFunc(func(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
		start := now()
		turn := time.Duration((1 - l.Tokens()) / float64(l.Limit()) * float64(time.Second))
		if turn > time.Second {
			tell(ctx, Wait{p.View.Ask.Member, "its turn under callsPerMinute", turn})
		}
		if err := idly(ctx, "while it waited for its turn", l.Wait); err != nil {
			var call *CallError
			if ctx.Err() == nil && !errors.As(err, &call) {
				words := fmt.Sprintf("our own limit of %g calls a second does not admit the call in time", float64(l.Limit()))
				err = &CallError{Fault: council.Fault{Kind: council.FaultRate, Message: words}}
			}
			return prompt.Completion{}, err
		}
		waited := now().Sub(start)
		return after(waited)(m.Complete(ctx, p))
	})
}

// after adds the time that was waited before a call to what the call took.
func after(waited time.Duration) func(prompt.Completion, error) (prompt.Completion, error) {
	before := council.Usage{ElapsedMS: waited.Milliseconds()}
	return func(c prompt.Completion, err error) (prompt.Completion, error) {
		c.Usage = before.Add(c.Usage)
		return c, spending(err, before)
	}
}

// spending adds what was spent before a call to what its error says was spent by it.
func spending(err error, before council.Usage) error {
	var call *CallError
	if !errors.As(err, &call) || before == (council.Usage{}) {
		return err
	}
	sum := *call
	sum.Usage = before.Add(call.Usage)
	return &sum
}
