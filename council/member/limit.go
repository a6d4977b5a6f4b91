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
		waited, err := takeTurn(ctx, p, l, 1, "callsPerMinute", now)
		if err != nil {
			return prompt.Completion{}, err
		}
		return after(waited)(m.Complete(ctx, p))
	})
}

// LimitTokens is Limit for tokens: a call waits until l admits those that its prompt is estimated to have, or as many
// as l admits at once. What it took in the end, its reply included, is settled with l, so that later calls wait for it.
func LimitTokens(m Model, l *rate.Limiter, now func() time.Time) Model {
	return ModelFunc(func(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
		expected := min(int(p.Bytes()/council.BytesPerToken), l.Burst())
		waited, err := takeTurn(ctx, p, l, expected, "tokensPerMinute", now)
		if err != nil {
			return prompt.Completion{}, err
		}
		c, err := m.Complete(ctx, p)
		if took := int(c.Usage.Tokens()); err == nil && took > 0 {
			l.ReserveN(now(), min(took-expected, l.Burst()))
		}
		return after(waited)(c, err)
	})
}

// takeTurn waits until l admits n and returns how long that took. setting names the limit for people.
func takeTurn(ctx context.Context, p prompt.Prompt, l *rate.Limiter, n int, setting string,
	now func() time.Time) (time.Duration, error) {
	start := now()
	turn := time.Duration((float64(n) - l.Tokens()) / float64(l.Limit()) * float64(time.Second))
	if turn > time.Second {
		tell(ctx, Wait{p.View.Ask.Member, "its turn under " + setting, turn})
	}
	err := idly(ctx, "while it waited for its turn", func(idle context.Context) error { return l.WaitN(idle, n) })
	var call *CallError
	if err != nil && ctx.Err() == nil && !errors.As(err, &call) {
		words := fmt.Sprintf("our own limit, %s %g, does not admit the call in time", setting, float64(l.Limit())*60)
		err = &CallError{Fault: council.Fault{Kind: council.FaultRate, Message: words}}
	}
	return now().Sub(start), err
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
