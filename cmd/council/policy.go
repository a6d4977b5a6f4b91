package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// policyFile is the name of a policy, in the user's configuration and in a workspace.
const policyFile = "policy.toml"

// policy reads the policy in force in a workspace: the user's own, and what the workspace's narrows. The error is a
// [policy.ErrBad], or says that a file cannot be read: then nothing may be started.
func readPolicy(a *app, root string) (*policy.Policy, error) {
	var sources []policy.Source
	own, shared := settingsPlaces(a, root, policyFile)
	for _, place := range []string{own, shared} {
		doc, err := os.ReadFile(place)
		if noSuchPath(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s cannot be read: %w", policy.ErrBad, place, atomicfile.Explain(err))
		}
		sources = append(sources, policy.Source{Origin: filepath.ToSlash(place), Text: string(doc)})
	}
	return policy.Parse(sources...)
}

// door returns the gate before all that is sent and started for a workspace. Under a policy that cannot be used it is
// closed. The ledger is opened when it is first needed; the workspace is made for what costs or acts.
func gateFor(a *app, root string) *gate.Gate { return gateOver(a, root, root) }

// doorOver is door for effects that stand in the ledger of another folder.
func gateOver(a *app, workspace, root string) *gate.Gate {
	p, err := readPolicy(a, workspace)
	if err != nil {
		return gate.Closed(err)
	}
	return gate.New(p, func(write bool) (gate.Ledger, error) {
		if !write {
			r, err := recorder.FindRoot(root, a.Layer)
			if err != nil {
				return nil, nil // there is no workspace yet, or it will be refused when there is something to write
			}
			_ = r.Close()
		}
		return openBook(a, root, p)
	})
}

// book returns the ledger of a workspace, in which the policy is announced that is in force from now on.
func openBook(a *app, folder string, p *policy.Policy) (l gate.Ledger, err error) {
	err = inNewRecord(a, folder, func(root *recorder.Root) error {
		l, err = announcedLedger(a, root, p)
		return err
	})
	return l, err
}

// inForce announces the policy in the ledger of a workspace, unless it was, and returns it.
func announcePolicy(a *app, root *recorder.Root) (*policy.Policy, error) {
	p, err := readPolicy(a, root.Path())
	if err != nil {
		return nil, err
	}
	if _, err := announcedLedger(a, root, p); err != nil {
		return nil, fmt.Errorf("%w: %w", gate.ErrLedger, atomicfile.Explain(err))
	}
	return p, nil
}

// policiesFolder keeps the policies that came into force, in the ledger's folder, by their digests. currentPolicy holds
// the digest of the last one; it is derived, and may be deleted.
const (
	policiesFolder = "policies"
	currentPolicy  = "current"
)

// announced returns the ledger of a workspace, after it has kept the policy there and noted that it is in force, unless
// it was already.
func announcedLedger(a *app, root *recorder.Root, p *policy.Policy) (*ledger.Ledger, error) {
	l, err := openLedger(a, root)
	if err != nil {
		return nil, err
	}
	doc, err := p.Encode()
	if err != nil {
		return nil, err
	}
	digest := council.Digest(string(doc))
	return l, inPolicies(root, func(kept atomicfile.Files) error {
		if last, err := atomicfile.Read(kept, currentPolicy); err == nil && string(last) == digest {
			return nil
		}
		err := atomicfile.Write(kept, digest+".toml", doc)
		if err == nil {
			_, err = l.Append(audit.Entry{Type: audit.TypePolicy, Digest: digest})
		}
		if err == nil {
			err = atomicfile.Write(kept, currentPolicy, []byte(digest)) // others may come here too
		}
		return err
	})
}

// inPolicies calls do with the folder of the policies that came into force, which is made if there is none.
func inPolicies(root *recorder.Root, do func(atomicfile.Files) error) error {
	const folder = ledger.Folder + "/" + policiesFolder
	return atomicfile.WithinMade(root.Files(), folder, do)
}

// lawful returns a [*policy.RefusedError] for the first thing that a charter needs and the policy forbids.
func checkCharterPolicy(a *app, c *council.Charter) error {
	p, err := readPolicy(a, c.Storage.RootDir)
	if err != nil {
		return err
	}
	return p.Charter(c, gate.Find)
}

// mayRead returns a [*policy.RefusedError] for the first document that the policy keeps from members, by its name or by
// where a link leads. Names are those from a folder.
func mayRead(p *policy.Policy, folder string, t *council.Topic) error {
	for _, d := range t.Documents {
		names := []string{d.Name}
		for _, shown := range d.Shows {
			names = append(names, shown.File)
		}
		for _, name := range names {
			if !filepath.IsAbs(name) {
				name = filepath.Join(folder, name)
			}
			if err := p.Check("", policy.Context, fromHere(name)); err != nil {
				return err
			}
			if err := p.Check("", policy.Context, leadsTo(name)...); err != nil {
				return fmt.Errorf("%s leads to another file: %w", name, err)
			}
		}
	}
	return nil
}

// fromHere returns a path as policies know it: from the working folder where it leads below that.
func fromHere(name string) string {
	here, err := filepath.Abs(".")
	if rel, ok := below(here, name); ok && err == nil && filepath.IsAbs(name) {
		return rel
	}
	return name
}

// leadsTo returns the names under which policies know the file that a path leads to by links: from the working folder,
// and in full too where it lies outside of that. A path that leads to no file stays as it is.
func leadsTo(name string) []string {
	real := func(path string) (string, error) {
		full, err := filepath.Abs(path)
		if err == nil {
			full, err = filepath.EvalSymlinks(full)
		}
		return full, err
	}
	here, err := real(".")
	if err != nil {
		return []string{name}
	}
	path, err := real(name)
	if err != nil {
		return []string{fromHere(name)}
	}
	rel, ok := below(here, path)
	switch {
	case ok:
		return []string{rel}
	case rel == "": // on another drive
		return []string{filepath.ToSlash(path)}
	}
	return []string{filepath.ToSlash(path), rel}
}

// below returns the way from a folder to a path, or "" where there is none, and whether it stays in the folder.
func below(folder, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

func newPolicy(a *app) *cobra.Command {
	var o charterFlags
	check := standalone("policy check", func(*cobra.Command, []string) error { return checkPolicy(a, o) })
	o.flags(check.Flags(), "config", "council", "root")
	var root string
	var at int64
	var asJSON bool
	explain := standalone("policy explain", func(*cobra.Command, []string) error {
		if at != 0 {
			return a.InRecord(root, func(r *recorder.Root) error { return explainAt(a, r, at) })
		}
		p, err := readPolicy(a, root)
		if err != nil {
			return err
		}
		return tellPolicy(a, p, asJSON)
	})
	cli.RootFlag(explain.Flags(), &root)
	flags(explain.Flags(), vars{"at": &at, "json": &asJSON})
	explain.MarkFlagsMutuallyExclusive("at", "json")
	return newGroup("policy", check, explain)
}

func checkPolicy(a *app, o charterFlags) error {
	read, unread := readCharter(a, o)
	root := cmp.Or(o.root, cli.Home())
	if unread == nil && o.root == "" {
		root = read.charter.Storage.RootDir
	}
	p, err := readPolicy(a, root)
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
	if err := p.Charter(&read.charter, gate.Find); err != nil {
		return err
	}
	a.Say("The %s may meet under it.", read.from)
	return nil
}

func tellPolicy(a *app, p *policy.Policy, asJSON bool) error {
	l := newList(a, asJSON)
	for _, r := range p.Rules() {
		l.add(map[string]string{"rule": r.Rule, "says": r.Says}, r.Rule, r.Says)
	}
	return l.print("No rule is in force: everything is allowed.")
}

// explainAt tells the rule that decided an entry, and the policy that was in force.
func explainAt(a *app, root *recorder.Root, at int64) error {
	var then string
	var decided audit.Entry
	for e, err := range ledger.Read(root.Files(), 1) {
		if err != nil {
			return err
		}
		if e.Seq > at {
			break
		}
		if decided = e; e.Type == audit.TypePolicy {
			then = e.Digest
		}
	}
	if decided.Seq != at {
		return cli.Refuse(fmt.Sprintf("the ledger has no entry %d", at), "council audit lists its entries.")
	}
	a.Say("Entry %d: %s", at, strings.TrimSpace(string(decided.Type)+" "+decided.What))
	if decided.Rule != "" {
		verb := "Allowed by"
		if decided.Type == audit.TypeDenied {
			verb = "Denied by"
		}
		a.Say("%s: %s", verb, decided.Rule)
	}
	if then == "" {
		a.Say("No policy had been announced before it.")
		return nil
	}
	var doc []byte
	err := inPolicies(root, func(kept atomicfile.Files) (err error) {
		doc, err = atomicfile.Read(kept, then+".toml")
		return err
	})
	if err != nil {
		return fmt.Errorf("the policy %.12s, which was in force then, cannot be read: %w", then, err)
	}
	if council.Digest(string(doc)) != then {
		return fmt.Errorf("%w: the policy %.12s, which was in force then, is not what was kept", recorder.ErrDamaged, then)
	}
	p, err := policy.Decode(doc)
	if err != nil {
		return err
	}
	a.Say("In force then (policy %.12s):", then)
	return tellPolicy(a, p, false)
}
