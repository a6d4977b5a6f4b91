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

type listener struct{}

// Listen returns a context whose calls tell of their waits. tell may be called by many goroutines at once.
func Listen(ctx context.Context, tell func(Wait)) context.Context {
	return context.WithValue(ctx, listener{}, tell)
}

// tell reports a wait that begins to the listener of ctx, if there is one.
func tell(ctx context.Context, w Wait) {
	if told, ok := ctx.Value(listener{}).(func(Wait)); ok {
		told(w)
	}
}

// tellAfter tells of a wait if it still goes on after a time. The caller calls over at its end.
func tellAfter(ctx context.Context, after time.Duration, w Wait) (over func()) {
	if ctx.Value(listener{}) == nil || w.Most > 0 && w.Most <= after {
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
