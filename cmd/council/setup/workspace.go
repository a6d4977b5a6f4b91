package setup

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/settings"
	"github.com/council-engine/council/workspace/site"
)

// NewWorkspace returns the command workspace.
func NewWorkspace(a *cli.Env) *cobra.Command {
	rename := &cobra.Command{Use: "rename WORKSPACE NAME", Short: "Give a workspace another name",
		Args: cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			was, err := registry.Rename(a.World, args[0], args[1])
			return a.SayUnless(err, "Workspace %s is now called %s.", was, args[1])
		}}
	list := cli.PlainVerb(a, &cobra.Command{Use: "list", Short: "List the workspaces, the last used first",
		Annotations: cli.JSON("one JSON object a line, with settings and agents"), Long: `
list shows your workspaces, the last used first. A * after the branch says that files which git tracks have changed.
With --json each has the settings in force there and its agents, each with the file that says who it is, the folder of
what it remembers, and its latest conversation.`,
	}, func(c *cli.Command) error {
		r, err := registry.Read(a.World)
		id := registry.IDIn(site.Home())
		moved := func(w registry.Entry) bool { return w.ID == id && registry.WhyMissing(w) != "" }
		if slices.ContainsFunc(r.Workspaces, moved) { // to this folder
			err = a.InRecord(site.Home(), func(root *recorder.Root) error {
				registry.NoteUse(a.World, root)
				r, err = registry.Read(a.World)
				return err
			})
		}
		if err != nil {
			return err
		}
		slices.SortStableFunc(r.Workspaces, func(x, y registry.Entry) int { return y.Used.Compare(x.Used) })
		l := cli.NewList(a, c.AsJSON, "NAME", "ID", "BRANCH", "SESSIONS", "AGENTS", "LAST USED", "FOLDER")
		look := func(w registry.Entry) (shown shownWorkspace) { // including the errors of reading it
			var err, bad error
			if shown.State, shown.Agents, err = registry.Look(a.World, c.Ctx, w); shown.Missing == "" {
				var all map[string]settings.Given
				all, bad = settings.InForce(a.World, w.Record)
				for _, s := range settings.All {
					if g := all[s.Key]; g.Value != "" {
						shown.Settings = append(shown.Settings, shownSetting{s.Key, g.Value, g.From})
					}
				}
			}
			if err = errors.Join(err, bad); err != nil {
				shown.Problem = err.Error()
			}
			return shown
		}
		for _, w := range prefetch.Each(r.Workspaces, look) {
			l.Add(w, w.cells()...)
			if w.Problem != "" && !c.AsJSON {
				a.Warn("%s: %s", w.Name, w.Problem)
			}
		}
		return l.Print("There are no workspaces yet. convene puts a folder into the list; council workspace add does too.")
	})
	add := &cobra.Command{Use: "add [FOLDER]",
		Short: "Put a folder into the list, this one or another, under the folder's name",
		Args:  cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			folder := cmp.Or(strings.Join(args, ""), ".")
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				return fmt.Errorf("there is no folder %s", site.PathLine(folder))
			}
			return a.InNewRecord(site.HomeOf(folder), func(root *recorder.Root) error {
				w, err := registry.Register(a.World, folder, root)
				return a.SayUnless(err, "Workspace %s (%s) is in %s.", w.Name, w.ID, site.PathLine(w.Path))
			})
		}}
	var apply bool
	remove := &cobra.Command{Use: "remove WORKSPACE", Short: "Say what belongs to a workspace, and with --apply delete it",
		Long: `
remove lists what belongs to a workspace: its sessions, memory and councils, all that is in the folder of its record.
Nothing is changed unless you add --apply: then this folder is deleted, without an archive, and the workspace leaves the
list. Your own files in the workspace stay, and so does memory that a configuration keeps outside of the record. Of a
workspace that is missing, --apply only removes the entry in the list.`,
		Args: cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error { return RemoveWorkspace(a, args[0], apply) }}
	remove.Flags().BoolVar(&apply, "apply", false, "do it; otherwise nothing is changed")
	return cli.NewGroup(&cobra.Command{Use: "workspace", Short: "List the folders in which you convene councils",
		Long: `
workspace keeps a list of your workspaces: the folders in which you convene councils. convene puts a folder into it by
itself. A folder that has moved is known again by its id and keeps its name; one that is not there, perhaps because its
disk is not mounted, is listed as missing and stays in the list.`,
	}, list, add, rename, remove)
}

type shownWorkspace struct {
	registry.State
	Settings []shownSetting   `json:"settings,omitempty"`
	Agents   []registry.Agent `json:"agents,omitempty"`
	Problem  string           `json:"problem,omitempty"` // why a part of it cannot be read
}

type shownSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func (w shownWorkspace) cells() []any {
	branch, sessions, agents, folder := w.Git.Branch, fmt.Sprint(w.Sessions), fmt.Sprint(len(w.Agents)), w.Path
	if w.Git.Dirty {
		branch += "*"
	}
	if w.Missing != "" {
		sessions, agents, folder = "-", "-", folder+" (missing: "+w.Missing+")"
	}
	return []any{w.Name, w.ID, hostile.Excerpt(cmp.Or(branch, "-"), 30), sessions, agents,
		w.Used.Local().Format("2006-01-02 15:04"), site.PathLine(folder)}
}

// RemoveWorkspace lists the files of a workspace, and with apply deletes them and its entry.
func RemoveWorkspace(a *cli.Env, name string, apply bool) error {
	r, err := registry.Read(a.World)
	i, unknown := r.Find(name)
	if err = cmp.Or(err, unknown); err != nil {
		return err
	}
	w := r.Workspaces[i]
	missing := registry.WhyMissing(w)
	if missing != "" {
		a.Say("Workspace %s in %s is missing: %s. Only its entry in the list would be removed.", w.Name,
			site.PathLine(w.Path), missing)
	} else if err := listBelongings(a, w); err != nil {
		return err
	}
	if !apply {
		a.Say("Nothing was changed. To remove it: council workspace remove %s --apply", w.Name)
		return nil
	}
	if missing == "" {
		if err := registry.DeleteRecord(a.World, w); err != nil {
			return fmt.Errorf("%s could not be deleted whole: %w", site.PathLine(w.Record), err)
		}
		a.Say("Deleted %s.", site.PathLine(w.Record))
	}
	err = registry.Change(a.World, func(r *registry.List) error {
		r.Workspaces = slices.DeleteFunc(r.Workspaces, func(o registry.Entry) bool { return o.ID == w.ID })
		return nil
	})
	return a.SayUnless(err, "Workspace %s is not in the list any more.", w.Name)
}

// listBelongings lists the files in the folder of a record, one line for each entry.
func listBelongings(a *cli.Env, w registry.Entry) error {
	return a.InRecord(w.Record, func(root *recorder.Root) error {
		ids, err := root.IDs()
		entries, unlisted := root.Files().List()
		if err = cmp.Or(err, unlisted); err != nil {
			return err
		}
		a.Say("Workspace %s has %s in %s:", w.Name, plural.Things(len(ids), "session"), site.PathLine(w.Record))
		var rows [][]any
		for _, e := range entries {
			files, bytes, err := registry.Measure(filepath.Join(w.Record, e.Name()))
			if err != nil {
				return err
			}
			rows = append(rows, []any{"  " + hostile.Line(e.Name()), plural.Things(files, "file"), plural.Things(bytes, "byte")})
		}
		return a.Table(rows...)
	})
}

// NewPolicy returns the command policy.
func NewPolicy(a *cli.Env) *cobra.Command {
	var o seat.Choice
	check := &cobra.Command{Use: "check", Short: "Read the policy, and say whether a council could meet under it",
		Long: `
check reads the policy files and names what is allowed in one place and denied in another; the denial wins. Then it
says whether the council of this folder, or the one that is named, could meet.

Exit codes: 0 it could · 1 the policy cannot be read, or forbids what the council needs.`,
		Args: cli.AsUsed, RunE: func(*cobra.Command, []string) error {
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
			return a.SayUnless(p.Charter(&read.Charter, gate.Find), "The %s may meet under it.", read.From)
		}}
	cli.CharterFlags(check.Flags(), &o, "config", "council", "root")
	var root string
	var at int64
	explain := cli.PlainVerb(a, &cobra.Command{Use: "explain", Short: "List the rules in force and where each comes from",
		Annotations: cli.JSONLines, Long: `
explain lists the rules in force, each by the name under which it can be found. With --at it lists those that were in
force when an entry of the ledger was written, and the rule that decided it.`,
		Example: `  council policy explain
  council policy explain --at 42`,
	}, func(c *cli.Command) error {
		if at != 0 {
			return a.InRecord(root, func(root *recorder.Root) error {
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
			})
		}
		p, err := a.Policy(root)
		if err != nil {
			return err
		}
		return tellPolicy(a, p, c.AsJSON)
	})
	cli.RootFlag(explain.Flags(), &root)
	explain.Flags().Int64Var(&at, "at", 0, "number of an entry of the ledger; council record audit lists them")
	explain.MarkFlagsMutuallyExclusive("at", "json")
	return cli.NewGroup(&cobra.Command{Use: "policy", Short: "Check and explain what councils may do here",
		Long: `
A policy says which providers, models, servers, programs and files councils may use, what they may spend, who may
approve, and what is cut from texts like a secret. The user's own is policy.toml in $XDG_CONFIG_HOME/council; the one of
a workspace, .council/policy.toml, can only narrow it. Without any, the preset balanced holds.`,
	}, check, explain)
}

func tellPolicy(a *cli.Env, p *policy.Policy, asJSON bool) error {
	l := cli.NewList(a, asJSON)
	for _, r := range p.Rules() {
		l.Add(map[string]string{"rule": r.Rule, "says": r.Says}, r.Rule, r.Says)
	}
	return l.Print("No rule is in force: everything is allowed.")
}
