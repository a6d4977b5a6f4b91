package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Policy bounds how often a call is tried again, and how long it waits in between.
type Policy struct {
	Tries    int           // calls in all; anything below 2 means that nothing is tried again
	Base     time.Duration // the wait before the second try; it doubles with each further one
	Longest  time.Duration // bound of that doubling; 0 means none
	Patience time.Duration // bound of all waits of one question together
	Late     time.Duration // how long the tries of one question that ran out of time may take together; 0: no bound

	// Jitter returns a number in [0, 1) that spreads the waits of members that failed together. Nil means no jitter.
	Jitter func() float64
	// Sleep waits for d, or returns ctx's error when ctx ends first. Nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Patient returns the policy for people who wait at a terminal: six tries, at most four minutes of waiting between
// them, and none after ten minutes of tries that ran out of time.
func Patient() Policy {
	return Policy{Tries: 6, Base: time.Second, Longest: 30 * time.Second, Patience: 4 * time.Minute, Late: hungAfter}
}

// Retry tries a call of m again when its [CallError] is retryable. It waits as long as the provider asks, else with
// exponential backoff, tells of each wait (see [Listen]), and gives up when the next one would exceed the policy's
// patience, or when a [Stop] is asked for. What all tries used and waited is in the usage of the last.
func Retry(m Model, p Policy) Model {
	if p.Sleep == nil {
		p.Sleep = sleep
	}
	if p.Jitter == nil {
		p.Jitter = func() float64 { return 0 }
	}
	return retry{m, p}
}

type retry struct {
	model  Model
	policy Policy
}

func (r retry) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	var before council.Usage
	var waited, late time.Duration
	for try := 1; ; try++ {
		c, err := r.model.Complete(ctx, p)
		c.Usage = before.Add(c.Usage)
		var call *CallError
		if !errors.As(err, &call) {
			return c, err
		}
		if ctx.Err() != nil {
			return prompt.Completion{}, ctx.Err()
		}
		wait := r.policy.wait(try, call.RetryAfter)
		if call.Fault.Kind == council.FaultTimeout {
			late += time.Duration(call.Usage.ElapsedMS) * time.Millisecond
		}
		if !call.Retryable || try >= r.policy.Tries || waited+wait > r.policy.Patience || r.policy.tooLate(late) {
			return prompt.Completion{}, spending(r.policy.giveUp(call, try, wait, late), before)
		}
		tell(ctx, Wait{p.View.Ask.Member,
			fmt.Sprintf("another try (%d of %d): %s", try+1, r.policy.Tries, call.Fault.Message), wait})
		idle, release := Idle(ctx)
		err = r.policy.Sleep(idle, wait)
		release()
		if err != nil && ctx.Err() == nil {
			return prompt.Completion{}, spending(stopped("while it waited to try again: "+call.Fault.Error()),
				before.Add(call.Usage))
		}
		if err != nil {
			return prompt.Completion{}, err
		}
		waited += wait
		before = before.Add(call.Usage).Add(council.Usage{ElapsedMS: wait.Milliseconds()})
	}
}

// spread is how much longer than asked a wait that the provider named may become: members that were told the same do
// not all come back in the same moment, and together wait no more than a twentieth longer than they were asked.
const spread = 0.05

// wait returns how long to wait after the given try. A wait that the provider named is never shortened.
func (p Policy) wait(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked + time.Duration(p.Jitter()*spread*float64(asked))
	}
	backoff := p.Base
	for range try - 1 {
		backoff *= 2
		if p.Longest > 0 && backoff >= p.Longest {
			backoff = p.Longest
			break
		}
	}
	return backoff + time.Duration(p.Jitter()*float64(backoff)/2)
}

// tooLate reports whether tries that ran out of time have taken all the time that there is for them.
func (p Policy) tooLate(late time.Duration) bool { return p.Late > 0 && late >= p.Late }

// giveUp adds to the provider's words why there is no further try.
func (p Policy) giveUp(call *CallError, try int, wait, late time.Duration) error {
	if !call.Retryable {
		return call
	}
	last := *call
	switch {
	case p.tooLate(late):
		last.Fault.Message = Redact(fmt.Sprintf("%s (not tried again after %s without a whole reply)", call.Fault.Message,
			late.Round(time.Second)))
	case try >= p.Tries && try > 1:
		last.Fault.Message = Redact(fmt.Sprintf("%s (tried %d times)", call.Fault.Message, try))
	case call.RetryAfter > p.Patience:
		last.Fault.Message = Redact(fmt.Sprintf("%s (the provider asks to wait %s; at most %s was allowed)",
			call.Fault.Message, long(call.RetryAfter), p.Patience))
	case try < p.Tries:
		last.Fault.Message = Redact(fmt.Sprintf("%s (tried %d times; a further wait of %s would exceed the %s allowed)",
			call.Fault.Message, try, wait.Round(time.Millisecond), p.Patience))
	}
	return &last
}

// long returns a wait that a provider asks for, in words.
func long(d time.Duration) string {
	if days := int64(d / (24 * time.Hour)); days > 2 {
		return fmt.Sprintf("%d days", days)
	}
	return d.Round(time.Second).String()
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
