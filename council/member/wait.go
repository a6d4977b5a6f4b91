package member

import (
	"context"
	"time"

	"github.com/council-engine/council/council"
)

// Wait is a wait of a member that somebody who watches should know of.
type Wait struct {
	Member council.MemberID
	Why    string        // what it waits for, to stand after "waits for"; words of a provider in it are redacted
	Most   time.Duration // how long at most; 0: not known
}

// soon is how long a wait must last before it is told, if it may be over in a moment.
const soon = 5 * time.Second

// Words are what a model has written of a reply so far.
type Words struct {
	Ask  council.Ask
	Text string              // all of it; "" when a reply begins, perhaps not the first to the ask
	Cut  func(string) string // takes secrets of the caller out of words
}

// Listener is told what happens in calls, by many goroutines at once.
type Listener struct {
	Wait  func(Wait)
	Words func(Words) // often; it must not block
}

type listening struct{}

// Listen returns a context whose calls tell of their waits and words.
func Listen(ctx context.Context, l Listener) context.Context {
	return context.WithValue(ctx, listening{}, l)
}

// tell reports a wait that begins to the listener of ctx, if there is one.
func tell(ctx context.Context, w Wait) {
	if l, _ := ctx.Value(listening{}).(Listener); l.Wait != nil {
		l.Wait(w)
	}
}

// Spoken is called by a model, in the context of its call, with what it has written so far.
func Spoken(ctx context.Context, w Words) {
	if l, _ := ctx.Value(listening{}).(Listener); l.Words != nil {
		l.Words(w)
	}
}

// tellAfter tells of a wait if it still goes on after a time. The caller calls over at its end.
func tellAfter(ctx context.Context, after time.Duration, w Wait) (over func()) {
	if ctx.Value(listening{}) == nil || w.Most > 0 && w.Most <= after {
		return func() {}
	}
	if w.Most > 0 {
		w.Most -= after
	}
	t := time.AfterFunc(after, func() { tell(ctx, w) })
	return func() { t.Stop() }
}

// begun is the key under which a context holds whom to tell that a reply has begun.
type begun struct{}

// Begun is called by a model, in the context of its call, when the provider has begun a reply: as often as it likes.
// Models that do not know need not call it.
func Begun(ctx context.Context) {
	if tell, ok := ctx.Value(begun{}).(func()); ok {
		tell()
	}
}

// onBegun returns a context in which [Begun] also calls hear.
func onBegun(ctx context.Context, hear func()) context.Context {
	return context.WithValue(ctx, begun{}, func() {
		hear()
		Begun(ctx)
	})
}
