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
func Limit(m Model, l *rate.Limiter, now func() time.Time) Model { return limited{m, l, now} }

type limited struct {
	model   Model
	limiter *rate.Limiter
	now     func() time.Time
}

func (l limited) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	start := l.now()
	if turn := l.turn(); turn > time.Second {
		tell(ctx, Wait{p.View.Ask.Member, "its turn under callsPerMinute", turn})
	}
	idle, release := Idle(ctx)
	defer release()
	if err := l.limiter.Wait(idle); err != nil {
		if ctx.Err() != nil {
			return prompt.Completion{}, ctx.Err()
		}
		if Stopping(ctx) {
			return prompt.Completion{}, stopped("while it waited for its turn")
		}
		words := fmt.Sprintf("our own limit of %g calls a second does not admit the call in time", float64(l.limiter.Limit()))
		return prompt.Completion{}, &CallError{Fault: council.Fault{Kind: council.FaultRate, Message: words}}
	}
	waited := council.Usage{ElapsedMS: l.now().Sub(start).Milliseconds()}
	c, err := l.model.Complete(ctx, p)
	c.Usage = waited.Add(c.Usage)
	return c, spending(err, waited)
}

// turn returns how long the next call has to wait.
func (l limited) turn() time.Duration {
	return time.Duration((1 - l.limiter.Tokens()) / float64(l.limiter.Limit()) * float64(time.Second))
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
