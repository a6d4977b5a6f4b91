package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Policy bounds the tries of a call and the waits between them.
type Policy struct {
	Tries    int           // calls in all; anything below 2 means that nothing is tried again
	Base     time.Duration // the wait before the second try; it doubles with each further one
	Longest  time.Duration // bound of that doubling; 0 means none
	Patience time.Duration // bound of all waits of one question together
	Late     time.Duration // how long the tries of one question that ran out of time may take together; 0: no bound

	// Jitter returns a number in [0, 1) that spreads waits; nil: none.
	Jitter func() float64
	// Sleep waits for d or returns ctx's error; nil: a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// DefaultRetryPolicy allows six tries, four minutes of waiting, and ten minutes of tries that time out.
func DefaultRetryPolicy() Policy {
	return Policy{Tries: 6, Base: time.Second, Longest: 30 * time.Second, Patience: 4 * time.Minute, Late: serverPatience}
}

// Retry repeats calls of m whose [CallError] is retryable. It waits as long as the provider asks, else with exponential
// backoff, and reports each wait (see [WithListener]). It gives up when the next wait would exceed the policy, or on a
// [Stop]. The last usage includes all tries and waits.
func Retry(m Model, p Policy) Model {
	if p.Sleep == nil {
		p.Sleep = sleep
	}
	if p.Jitter == nil {
		p.Jitter = func() float64 { return 0 }
	}
	return ModelFunc(func(ctx context.Context, q *prompt.Prompt) (prompt.Completion, error) {
		var before council.Usage
		var waited, late time.Duration
		for try := 1; ; try++ {
			c, err := m.Complete(ctx, q)
			c.Usage = before.Add(c.Usage)
			call, failed := errors.AsType[*CallError](err)
			if !failed {
				return c, err
			}
			if ctx.Err() != nil {
				return prompt.Completion{}, ctx.Err()
			}
			wait := p.wait(try, call.RetryAfter)
			if call.Fault.Kind == council.FaultTimeout {
				late += time.Duration(call.Usage.ElapsedMS) * time.Millisecond
			}
			if why, over := p.over(call, try, wait, waited, late); over {
				last := *call
				if why != "" {
					last.Fault.Message = Redact(fmt.Sprintf("%s (%s)", call.Fault.Message, why))
				}
				return prompt.Completion{}, addUsage(&last, before)
			}
			reportWait(ctx, Wait{q.View.Ask.Member,
				fmt.Sprintf("another try (%d of %d): %s", try+1, p.Tries, call.Fault.Message), wait})
			before = before.Add(call.Usage)
			err = waitUnlessStopped(ctx, "while it waited to try again: "+call.Fault.Error(),
				func(idle context.Context) error { return p.Sleep(idle, wait) })
			if err != nil {
				return prompt.Completion{}, addUsage(err, before)
			}
			waited += wait
			before = before.Add(council.Usage{ElapsedMS: wait.Milliseconds()})
		}
	})
}

// spread is by how much a wait that the provider named may be lengthened, so that members do not all return at once.
const spread = 0.05

// wait returns how long to wait after the given try. It never shortens a wait that the provider named.
func (p Policy) wait(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked + time.Duration(p.Jitter()*spread*float64(asked))
	}
	backoff := p.Base
	for range try - 1 {
		backoff = min(2*backoff, cmp.Or(p.Longest, 2*backoff))
	}
	return backoff + time.Duration(p.Jitter()*float64(backoff)/2)
}

// over reports whether there is no further try, and why if one might have helped.
func (p Policy) over(call *CallError, try int, wait, waited, late time.Duration) (why string, over bool) {
	switch {
	case !call.Retryable:
		return "", true
	case p.Late > 0 && late >= p.Late:
		return fmt.Sprintf("not tried again after %s without a whole reply", late.Round(time.Second)), true
	case try >= p.Tries:
		if try > 1 {
			why = fmt.Sprintf("tried %d times", try)
		}
		return why, true
	case call.RetryAfter > p.Patience:
		return fmt.Sprintf("the provider asks to wait %s; at most %s was allowed", formatWait(call.RetryAfter),
			p.Patience), true
	case waited+wait > p.Patience:
		return fmt.Sprintf("tried %d times; a further wait of %s would exceed the %s allowed", try,
			wait.Round(time.Millisecond), p.Patience), true
	}
	return "", false
}

func formatWait(d time.Duration) string {
	if days := int64(d / (24 * time.Hour)); days > 2 {
		return fmt.Sprintf("%d days", days)
	}
	return d.Round(time.Second).String()
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const restTime = 10 * time.Minute // for which a model that was missing or down is skipped

// Choice is a model that may answer for a member.
type Choice struct {
	Provider, Name string
	Model          Model
}

// Fallback asks the first choice, and the next one while a choice is missing or down; see [IsUnavailable]. Other
// faults, such as those of keys and accounts, are returned. Give each choice its own [Retry]. The usage of a reply
// names the provider and model of a fallback. now is the clock for skipping choices.
func Fallback(now func() time.Time, choices ...Choice) Model {
	if len(choices) == 1 {
		return choices[0].Model
	}
	return &fallback{now: now, choices: choices, skipUntil: make([]time.Time, len(choices))}
}

type fallback struct {
	now     func() time.Time
	choices []Choice

	mu        sync.Mutex
	skipUntil []time.Time // until when each choice is skipped
}

func (f *fallback) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	var spent council.Usage
	var result *CallError
	var words []string
	for _, i := range f.order() {
		choice := f.choices[i]
		c, err := choice.Model.Complete(ctx, p)
		if err == nil {
			if i > 0 {
				c.Usage.Provider, c.Usage.Model = choice.Provider, cmp.Or(c.Usage.Model, choice.Name)
			}
			c.Usage = spent.Add(c.Usage)
			return c, nil
		}
		call, ok := errors.AsType[*CallError](err)
		if ctx.Err() != nil || !ok {
			return prompt.Completion{}, err
		}
		words = append(words, fmt.Sprintf("%s/%s: %s", choice.Provider, choice.Name, call.Fault.Message))
		spent = spent.Add(call.Usage)
		unavailable := IsUnavailable(call.Fault.Kind)
		if result == nil || i == 0 || !unavailable {
			result = call
		}
		if !unavailable {
			break
		}
		f.mu.Lock()
		f.skipUntil[i] = f.now().Add(restTime)
		f.mu.Unlock()
	}
	failed := *result
	failed.Fault.Message, failed.Usage = Redact(strings.Join(words, "; ")), spent
	return prompt.Completion{}, &failed
}

// IsUnavailable reports whether a fault means that a model is unavailable at present.
func IsUnavailable(kind council.FaultKind) bool {
	return slices.Contains([]council.FaultKind{council.FaultModelMissing, council.FaultTransport, council.FaultTimeout,
		council.FaultFailed, council.FaultRejected}, kind)
}

// order lists the choices to ask: those that do not rest, or all if all do.
func (f *fallback) order() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all, awake []int
	for i, until := range f.skipUntil {
		if all = append(all, i); !f.now().Before(until) {
			awake = append(awake, i)
		}
	}
	if awake == nil {
		return all
	}
	return awake
}

// Wait is a wait worth reporting.
type Wait struct {
	Member council.MemberID
	Why    string        // completes "waits for"; words of a provider are redacted
	Most   time.Duration // how long at most; 0: not known
}

const reportWaitAfter = 5 * time.Second // of a wait of unknown length

// Words are the text of a reply so far.
type Words struct {
	Ask  council.Ask
	Text string              // all of it; "" when a reply begins, perhaps not the first to the ask
	Cut  func(string) string // takes secrets of the caller out of words
}

// Listener receives reports on calls, concurrently.
type Listener struct {
	Wait  func(Wait)
	Words func(Words) // often; it must not block
}

type listenerKey struct{}

// WithListener returns a context whose calls report their waits and words to l.
func WithListener(ctx context.Context, l Listener) context.Context {
	return context.WithValue(ctx, listenerKey{}, l)
}

func reportWait(ctx context.Context, w Wait) {
	if l, _ := ctx.Value(listenerKey{}).(Listener); l.Wait != nil {
		l.Wait(w)
	}
}

// ReportWords reports, in the context of a call, the reply so far.
func ReportWords(ctx context.Context, w Words) {
	if l, _ := ctx.Value(listenerKey{}).(Listener); l.Words != nil {
		l.Words(w)
	}
}

// reportLongWait reports a wait that lasts longer than after. The caller calls over at its end.
func reportLongWait(ctx context.Context, after time.Duration, w Wait) (over func()) {
	if ctx.Value(listenerKey{}) == nil || w.Most > 0 && w.Most <= after {
		return func() {}
	}
	if w.Most > 0 {
		w.Most -= after
	}
	t := time.AfterFunc(after, func() { reportWait(ctx, w) })
	return func() { t.Stop() }
}

// begunKey is the context key of the function that learns that a reply has begun.
type begunKey struct{}

// ReportBegun reports, in the context of a call, that the provider has begun a reply. It may be called often or never.
func ReportBegun(ctx context.Context) {
	if report, ok := ctx.Value(begunKey{}).(func()); ok {
		report()
	}
}

// withBegun returns a context in which [ReportBegun] also calls hear.
func withBegun(ctx context.Context, hear func()) context.Context {
	return context.WithValue(ctx, begunKey{}, func() {
		hear()
		ReportBegun(ctx)
	})
}

// Stop ends a run without losing paid replies: calls that were sent go on, others end with a fault of kind cancelled.
type Stop struct {
	asked context.Context // ends when the stop is asked for
	ask   context.CancelFunc

	mu   sync.Mutex
	sent map[council.MemberID]int // calls that are in hand
}

// NewStop returns a stop that is not asked for yet.
func NewStop() *Stop {
	s := &Stop{sent: map[council.MemberID]int{}}
	s.asked, s.ask = context.WithCancel(context.Background())
	return s
}

type stopKey struct{}

// In returns a context whose calls follow the stop.
func (s *Stop) In(ctx context.Context) context.Context { return context.WithValue(ctx, stopKey{}, s) }

// Ask asks for the stop. It returns the members with calls under way, sorted.
func (s *Stop) Ask() []council.MemberID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ask()
	return slices.Sorted(maps.Keys(s.sent))
}

// stopIn returns the stop that calls in ctx follow, perhaps one that nothing asks for.
func stopIn(ctx context.Context) *Stop {
	if s, ok := ctx.Value(stopKey{}).(*Stop); ok {
		return s
	}
	return NewStop()
}

// Stopping reports whether a stop was asked for in ctx.
func Stopping(ctx context.Context) bool { return stopIn(ctx).asked.Err() != nil }

// Idle returns a context for waiting before a call is sent. It ends with ctx or a stop.
func Idle(ctx context.Context) (context.Context, context.CancelFunc) {
	idle, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(stopIn(ctx).asked, cancel)
	return idle, func() { release(); cancel() }
}

// stoppedError returns the error of an unsent call; words complete "interrupted".
func stoppedError(words string) *CallError {
	return Fail(council.FaultCancelled, "interrupted %s", words)
}

// waitUnlessStopped waits for something before a call is sent. Its error is ctx's, that of a [Stop], or that of wait.
func waitUnlessStopped(ctx context.Context, words string, wait func(context.Context) error) error {
	idle, release := Idle(ctx)
	defer release()
	err := wait(idle)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil && Stopping(ctx):
		return stoppedError(words)
	}
	return err
}

// TrackCalls, inside of all waits, tracks calls of m that are under way, and sends none once a stop is asked for.
func TrackCalls(m Model) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		done, err := beginCall(ctx, p.View.Ask.Member, "before it was sent")
		if err != nil {
			return prompt.Completion{}, err
		}
		defer done()
		return m.Complete(ctx, p)
	})
}

// beginCall marks a member as busy until done is called. It fails if a stop was asked for; see [stoppedError].
func beginCall(ctx context.Context, id council.MemberID, words string) (done func(), err error) {
	s := stopIn(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked.Err() != nil {
		return nil, stoppedError(words)
	}
	s.sent[id]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sent[id]--; s.sent[id] == 0 {
			delete(s.sent, id)
		}
	}, nil
}
