package main

import (
	"cmp"
	"context"
	"time"

	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/recorder"
)

// wallet finds the credentials of members, with those that are stored in a workspace.
func newWallet(a *app, root string) *credential.Wallet {
	w := &credential.Wallet{
		Getenv: a.Getenv, Vault: credential.OpenVault(root, credential.SystemRing(a.Getenv)), Now: a.Now,
		Claim: func() error { return claimWorkspace(a, root) }, Gate: gateFor(a, root),
	}
	if a.Terminal {
		w.Invite = func(i credential.Invitation) {
			a.Warn("To log in for %s, open %s\nand enter the code %s within %s. Waiting for you there.",
				i.For, i.Address, i.Code, i.Within.Round(time.Minute))
		}
	}
	return w
}

// roster seats the members of councils that meet in a workspace.
func newRoster(a *app, root string) *seating.Roster {
	if a.batched != nil {
		a.batched.mu.Lock() // a worker takes another roster when its policy changes
		r := a.batched.roster.Fellow()
		a.batched.mu.Unlock()
		r.Within = a.batched.within
		return r
	}
	return newRosterWith(a, newWallet(a, root))
}

func newRosterWith(a *app, w *credential.Wallet) *seating.Roster {
	return seating.New(seating.World{Getenv: a.Getenv, Now: a.Now, Gate: w.Gate, Wallet: w, Wait: a.wait})
}

// gate lets pass what the user trusts of a configuration.
func trustGate(a *app) seating.TrustGate {
	g := seating.TrustGate{Env: &a.Env, Given: a.trusting}
	if a.Asked() {
		g.Line = keyboard(a).Line
	}
	return g
}

// pass returns nil when the user trusts what a charter names. A model or a council from a workspace's settings may not
// be the user's choice, so all that it leads to is asked for.
func passTrust(a *app, ctx context.Context, byFile []seating.Named, c *council.Charter, dry bool) error {
	if a.settled["model"].shared || a.settled["council"].shared {
		byFile = seating.NamedIn(c)
	}
	g := trustGate(a)
	g.Dry = dry
	return g.Pass(ctx, byFile, c)
}

// checkRoster returns an error for the first member that the policy forbids or that cannot be seated, before anything
// is written or paid. At a terminal the person is asked whether to trust what a file named, and to log in where that is
// all that is missing; a dry run asks for neither.
func checkRoster(a *app, ctx context.Context, byFile []seating.Named, c *council.Charter, dry bool) error {
	if err := checkCharterPolicy(a, c); err != nil {
		return err
	}
	if err := passTrust(a, ctx, byFile, c, dry); err != nil {
		return err
	}
	w := newWallet(a, c.Storage.RootDir)
	r := newRosterWith(a, w)
	defer r.Close()
	if err := r.Check(c); err != nil || dry || !w.Waits() {
		return err
	}
	ctx, release := stoppableContext(a, ctx)
	defer release()
	if err := w.SignIn(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	return nil
}

// stoppable returns a context that the first Ctrl-C ends, for what is done while there is no session.
func stoppableContext(a *app, parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, let := a.signals()
	go func() {
		select {
		case <-signals:
			cancel(errStopped)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { let(); cancel(nil) }
}

// claim makes the workspace in a folder, unless there is one.
func claimWorkspace(a *app, root string) error {
	return inNewRecord(a, root, func(*recorder.Root) error { return nil })
}
