package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// resting is how long a model that was found missing or down is passed over before it is tried again.
const resting = 10 * time.Minute

// Choice is a model that may answer for a member: its provider and name as configured, and the model itself.
type Choice struct {
	Provider, Name string
	Model          Model
}

// Fallback asks the first of the choices, which is the configured one, and the next while one is missing or down: when
// there is no such model, when its server cannot be reached, fails or rejects the request, and when it does not answer
// in time. Whatever a person has to see to (a key, an account, a limit of the account) and whatever the model has said
// stays what it is. Give each choice its own [Retry]: a choice is down when its tries are spent.
//
// It is never silent: the usage of a reply names the provider and the model that stood in. now is the clock by which a
// choice is passed over.
func Fallback(now func() time.Time, choices ...Choice) Model {
	if len(choices) == 1 {
		return choices[0].Model
	}
	return &fallback{now: now, choices: choices, rests: make([]time.Time, len(choices))}
}

type fallback struct {
	now     func() time.Time
	choices []Choice

	mu    sync.Mutex
	rests []time.Time // until when each choice is passed over
}

func (f *fallback) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	var spent council.Usage
	var first *CallError
	var words []string
	for _, i := range f.order() {
		choice := f.choices[i]
		c, err := choice.Model.Complete(ctx, p)
		if err == nil {
			if i > 0 {
				c.Usage.Provider = choice.Provider
				if c.Usage.Model == "" {
					c.Usage.Model = choice.Name
				}
			}
			c.Usage = spent.Add(c.Usage)
			return c, nil
		}
		var call *CallError
		if ctx.Err() != nil || !errors.As(err, &call) {
			return prompt.Completion{}, err
		}
		words = append(words, fmt.Sprintf("%s/%s: %s", choice.Provider, choice.Name, call.Fault.Message))
		if !down(call.Fault.Kind) {
			last := *call
			last.Fault.Message = Redact(strings.Join(words, "; "))
			return prompt.Completion{}, spending(&last, spent)
		}
		f.rest(i)
		if first == nil || i == 0 {
			first = call
		}
		spent = spent.Add(call.Usage)
	}
	all := *first
	all.Fault.Message, all.Usage = Redact(strings.Join(words, "; ")), spent
	return prompt.Completion{}, &all
}

// down reports whether a fault means that a model cannot be had at present.
func down(kind council.FaultKind) bool {
	return slices.Contains([]council.FaultKind{council.FaultModelMissing, council.FaultTransport, council.FaultTimeout,
		council.FaultFailed, council.FaultRejected}, kind)
}

// order lists the choices to ask: those that do not rest, or all when all do.
func (f *fallback) order() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	var awake, all []int
	for i, until := range f.rests {
		all = append(all, i)
		if !f.now().Before(until) {
			awake = append(awake, i)
		}
	}
	if len(awake) == 0 {
		return all
	}
	return awake
}

func (f *fallback) rest(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rests[i] = f.now().Add(resting)
}
