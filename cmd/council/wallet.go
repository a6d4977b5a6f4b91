package main

import (
	"cmp"
	"context"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/workspace/seat"
)

// wallet finds the credentials of members, with those that are stored in a workspace.
func newWallet(a *cli.Env, root string) *credential.Wallet {
	w := &credential.Wallet{
		Getenv: a.Getenv, Vault: credential.OpenVault(root, credential.SystemRing(a.Getenv)), Now: a.Now,
		Claim: func() error { return a.Claim(root) }, Gate: a.Gate(root),
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
func newRoster(a *cli.Env, root string) *seat.Roster {
	return newRosterWith(a, newWallet(a, root))
}

func newRosterWith(a *cli.Env, w *credential.Wallet) *seat.Roster {
	return seat.New(seat.World{Getenv: a.Getenv, Now: a.Now, Gate: w.Gate, Wallet: w, Wait: a.Wait})
}

// gate lets pass what the user trusts of a configuration.
func trustGate(a *cli.Env) seat.TrustGate {
	g := seat.TrustGate{World: a.World, Given: a.Trusting}
	if a.Asked() {
		g.Confirm = a.Confirm
	}
	return g
}

// pass returns nil when the user trusts what a charter names. A model or a council from a workspace's settings may not
// be the user's choice, so all that it leads to is asked for.
func passTrust(a *cli.Env, ctx context.Context, byFile []seat.Named, c *council.Charter, dry bool) error {
	if a.Settings["model"].Shared || a.Settings["council"].Shared {
		byFile = seat.NamedIn(c)
	}
	g := trustGate(a)
	g.Dry = dry
	return g.Pass(ctx, byFile, c)
}

// checkRoster returns an error for the first member that the policy forbids or that cannot be seated, before anything
// is written or paid. At a terminal the person is asked whether to trust what a file named, and to log in where that is
// all that is missing; a dry run asks for neither.
func checkRoster(a *cli.Env, ctx context.Context, byFile []seat.Named, c *council.Charter, dry bool) error {
	if err := a.CheckCharter(c); err != nil {
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
func stoppableContext(a *cli.Env, parent context.Context) (ctx context.Context, release func()) {
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
