package cli

import (
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

// Trust returns what asks the person at the terminal whether to trust a charter: see Hold of package run.
func Trust(a *Env) func(context.Context, []seat.Named, *council.Charter, bool) error {
	return func(ctx context.Context, byFile []seat.Named, c *council.Charter, dry bool) error {
		return PassTrust(a, ctx, byFile, c, dry)
	}
}
