package seat

import (
	"cmp"
	"context"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/workspace/site"
)

// Wallet returns the members' credentials, including those stored in a workspace.
func Wallet(w *site.World, root string) *credential.Wallet {
	all := &credential.Wallet{
		Getenv: w.Getenv, Vault: credential.OpenVault(root, credential.SystemRing(w.Getenv)), Now: w.Now,
		Claim: func() error { return w.Claim(root) }, Gate: w.Gate(root),
	}
	if w.Attended {
		all.Invite = func(i credential.Invitation) {
			w.Warn("To log in for %s, open %s\nand enter the code %s within %s. Waiting for you there.",
				i.For, i.Address, i.Code, i.Within.Round(time.Minute))
		}
	}
	return all
}

// RosterOf returns the roster of a workspace.
func RosterOf(w *site.World, root string) *Roster { return RosterWith(w, Wallet(w, root)) }

// RosterWith is [RosterOf] with the given credentials.
func RosterWith(w *site.World, all *credential.Wallet) *Roster {
	return New(World{Getenv: w.Getenv, Now: w.Now, Gate: all.Gate, Wallet: all, Wait: w.Wait,
		Models: w.Models})
}

// CheckRoster returns an error for the first member that the policy forbids or that cannot be seated, before anything
// is written or paid. trust asks the person about items that a file names; a missing login is asked for, unless it is
// a dry run.
func CheckRoster(ctx context.Context, w *site.World, c *council.Charter, dry bool,
	trust func(context.Context) error) error {
	if err := w.CheckCharter(c); err != nil {
		return err
	}
	if err := trust(ctx); err != nil {
		return err
	}
	all := Wallet(w, c.Storage.RootDir)
	r := RosterWith(w, all)
	defer r.Close()
	if err := r.Check(c); err != nil || dry || !all.NeedsLogin() {
		return err
	}
	ctx, release := w.Stoppable(ctx)
	defer release()
	if err := all.SignIn(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	return nil
}
