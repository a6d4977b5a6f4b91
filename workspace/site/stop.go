package site

import (
	"context"
	"errors"
)

// errStopped: the person stopped the command.
var errStopped = errors.New("stopped; what was stored before is kept")

// Stoppable returns a context that the first signal to end ends, for what is done while there is no session.
func (w *World) Stoppable(parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, let := w.Signals()
	go func() {
		select {
		case <-signals:
			cancel(errStopped)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { let(); cancel(nil) }
}
