package cli

import (
	"cmp"
	"context"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/workspace/seat"
)

// TrustGate lets pass what the user trusts of a configuration.
func TrustGate(a *Env) seat.TrustGate {
	g := seat.TrustGate{World: a.World, Given: a.Trusting}
	if a.Asked() {
		g.Confirm = a.Confirm
	}
	return g
}

// PassTrust returns nil when the user trusts what a charter names. A model or a council from a workspace's settings may
// not be the user's choice, so all that it leads to is asked for.
func PassTrust(a *Env, ctx context.Context, byFile []seat.Named, c *council.Charter, dry bool) error {
	if a.Settings["model"].Shared || a.Settings["council"].Shared {
		byFile = seat.NamedIn(c)
	}
	g := TrustGate(a)
	g.Dry = dry
	return g.Pass(ctx, byFile, c)
}

// CheckRoster returns an error for the first member that the policy forbids or that cannot be seated, before anything
// is written or paid. At a terminal the person is asked whether to trust what a file named, and to log in where that is
// all that is missing; a dry run asks for neither.
func CheckRoster(a *Env, ctx context.Context, byFile []seat.Named, c *council.Charter, dry bool) error {
	if err := a.CheckCharter(c); err != nil {
		return err
	}
	if err := PassTrust(a, ctx, byFile, c, dry); err != nil {
		return err
	}
	w := seat.Wallet(a.World, c.Storage.RootDir)
	r := seat.RosterWith(a.World, w)
	defer r.Close()
	if err := r.Check(c); err != nil || dry || !w.Waits() {
		return err
	}
	ctx, release := StoppableContext(a, ctx)
	defer release()
	if err := w.SignIn(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	return nil
}

// StoppableContext returns a context that the first Ctrl-C ends, for what is done while there is no session.
func StoppableContext(a *Env, parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, let := a.Signals()
	go func() {
		select {
		case <-signals:
			cancel(errStopped)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { let(); cancel(nil) }
}
