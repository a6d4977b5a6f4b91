package member

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Wait is a wait worth reporting.
type Wait struct {
	Member council.MemberID
	Why    string        // completes "waits for"; words of a provider are redacted
	Most   time.Duration // how long at most; 0: not known
}

// reportWaitAfter is how long a wait of unknown length lasts before it is reported.
const reportWaitAfter = 5 * time.Second

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

// Stopping reports whether a stop was asked for in ctx.
func Stopping(ctx context.Context) bool {
	s, ok := ctx.Value(stopKey{}).(*Stop)
	return ok && s.asked.Err() != nil
}

// Idle returns a context for waiting before a call is sent. It ends with ctx or a stop.
func Idle(ctx context.Context) (context.Context, context.CancelFunc) {
	idle, cancel := context.WithCancel(ctx)
	s, ok := ctx.Value(stopKey{}).(*Stop)
	if !ok {
		return idle, cancel
	}
	release := context.AfterFunc(s.asked, cancel)
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
		done, ok := beginCall(ctx, p.View.Ask.Member)
		if !ok {
			return prompt.Completion{}, stoppedError("before it was sent")
		}
		defer done()
		return m.Complete(ctx, p)
	})
}

// beginCall marks a member as busy until done is called, unless a stop was asked for.
func beginCall(ctx context.Context, id council.MemberID) (done func(), ok bool) {
	s, has := ctx.Value(stopKey{}).(*Stop)
	if !has {
		return func() {}, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked.Err() != nil {
		return nil, false
	}
	s.sent[id]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sent[id]--; s.sent[id] == 0 {
			delete(s.sent, id)
		}
	}, true
}
