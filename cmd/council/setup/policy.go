package setup

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// NewPolicy returns the command policy.
func NewPolicy(a *cli.Env) *cobra.Command {
	var o seat.Choice
	check := &cobra.Command{Use: "check", Short: "Read the policy, and say whether a council could meet under it",
		Long: `
check reads the policy files and names what is allowed in one place and denied in another; the denial wins. Then it
says whether the council of this folder, or the one that is named, could meet.

Exit codes: 0 it could · 1 the policy cannot be read, or forbids what the council needs.`,
		Args: cli.AsUsed, RunE: func(*cobra.Command, []string) error { return checkPolicy(a, o) }}
	cli.CharterFlags(check.Flags(), &o, "config", "council", "root")
	var root string
	var at int64
	var asJSON bool
	explain := &cobra.Command{Use: "explain", Short: "List the rules in force and where each comes from",
		Long: `
explain lists the rules in force, each by the name under which it can be found. With --at it lists those that were in
force when an entry of the ledger was written, and the rule that decided it.`,
		Example: `  council policy explain
  council policy explain --at 42`,
		Args: cli.AsUsed, RunE: func(*cobra.Command, []string) error {
			if at != 0 {
				return a.InRecord(root, func(r *recorder.Root) error { return explainAt(a, r, at) })
			}
			p, err := a.Policy(root)
			if err != nil {
				return err
			}
			return tellPolicy(a, p, asJSON)
		}}
	cli.RootFlag(explain.Flags(), &root)
	f := explain.Flags()
	f.Int64Var(&at, "at", 0, "number of an entry of the ledger; council record audit lists them")
	f.BoolVar(&asJSON, "json", false, "one JSON object a line")
	explain.MarkFlagsMutuallyExclusive("at", "json")
	return cli.NewGroup(&cobra.Command{Use: "policy", Short: "Check and explain what councils may do here",
		Long: `
A policy says which providers, models, servers, programs and files councils may use, what they may spend, who may
approve, and what is cut from texts like a secret. The user's own is policy.toml in $XDG_CONFIG_HOME/council; the one of
a workspace, .council/policy.toml, can only narrow it. Without any, the preset balanced holds.`,
	}, check, explain)
}

func checkPolicy(a *cli.Env, o seat.Choice) error {
	read, unread := seat.ReadCharter(a.World, o)
	root := cmp.Or(o.Root, site.Home())
	if unread == nil && o.Root == "" {
		root = read.Charter.Storage.RootDir
	}
	p, err := a.Policy(root)
	if err != nil {
		return err
	}
	n := len(p.Rules())
	a.Say("The policy can be read: %s.", plural.Things(n, "rule is in force", "rules are in force"))
	for _, said := range p.Contradictions() {
		a.Say("%s.", said)
	}
	if unread != nil {
		return unread
	}
	if err := p.Charter(&read.Charter, gate.Find); err != nil {
		return err
	}
	a.Say("The %s may meet under it.", read.From)
	return nil
}

func tellPolicy(a *cli.Env, p *policy.Policy, asJSON bool) error {
	l := cli.NewList(a, asJSON)
	for _, r := range p.Rules() {
		l.Add(map[string]string{"rule": r.Rule, "says": r.Says}, r.Rule, r.Says)
	}
	return l.Print("No rule is in force: everything is allowed.")
}

// explainAt prints the rule that decided an entry, and the policy in force at the time.
func explainAt(a *cli.Env, root *recorder.Root, at int64) error {
	e, digest, err := site.DecidedAt(root, at)
	if err != nil {
		return err
	}
	a.Say("Entry %d: %s", at, strings.TrimSpace(string(e.Type)+" "+e.What))
	if e.Rule != "" {
		verb := "Allowed by"
		if e.Type == audit.TypeDenied {
			verb = "Denied by"
		}
		a.Say("%s: %s", verb, e.Rule)
	}
	if digest == "" {
		a.Say("No policy had been announced before it.")
		return nil
	}
	p, err := site.KeptPolicy(root, digest)
	if err != nil {
		return err
	}
	a.Say("In force then (policy %.12s):", digest)
	return tellPolicy(a, p, false)
}
