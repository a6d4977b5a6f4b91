package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/site"
)

// NewWorkspace returns the command workspace.
func NewWorkspace(a *cli.Env) *cobra.Command {
	rename := &cobra.Command{Use: "rename WORKSPACE NAME", Short: "Give a workspace another name",
		Args: cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			return RenameWorkspace(a, args[0], args[1])
		}}
	return cli.NewGroup(&cobra.Command{Use: "workspace", Short: "List the folders in which you convene councils",
		Long: `
workspace keeps a list of your workspaces: the folders in which you convene councils. convene puts a folder into it by
itself. A folder that has moved is known again by its id and keeps its name; one that is not there, perhaps because its
disk is not mounted, is listed as missing and stays in the list.`,
	}, newWorkspaceList(a), newWorkspaceAdd(a), rename, newWorkspaceRemove(a))
}

// shownWorkspace is the present state of a workspace.
type shownWorkspace struct {
	registry.Entry
	Missing  string             `json:"missing,omitempty"` // why it cannot be looked at
	Git      documents.WorkTree `json:"git,omitzero"`
	Sessions int                `json:"sessions"`
	Settings []shownSetting     `json:"settings,omitempty"`
	Agents   []knownAgent       `json:"agents,omitempty"`
	Problem  string             `json:"problem,omitempty"` // what of it cannot be read
}

// shownSetting is a non-default setting of a workspace.
type shownSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// maxGit bounds how long git may take to report the state of a workspace's files.
const maxGit = 2 * time.Second

// lookAt returns the state of a workspace, including the errors of reading it.
func lookAt(a *cli.Env, ctx context.Context, w registry.Entry) shownWorkspace {
	shown := shownWorkspace{Entry: w, Missing: registry.WhyMissing(w)}
	if shown.Missing != "" {
		return shown
	}
	ctx, cancel := context.WithTimeout(ctx, maxGit)
	defer cancel()
	shown.Git, _ = documents.ReadWorkTree(ctx, w.Path) // many folders are in none
	err := a.InRecord(w.Record, func(root *recorder.Root) error {
		ids, err := root.IDs()
		shown.Sessions, shown.Agents = len(ids), agentsOf(w, root, ids)
		return err
	})
	all, bad := cli.SettingsOf(a, w.Record)
	for _, s := range cli.Settings {
		if g := all[s.Key]; g.Value != "" {
			shown.Settings = append(shown.Settings, shownSetting{s.Key, g.Value, g.From})
		}
	}
	if err = errors.Join(err, bad); err != nil {
		shown.Problem = err.Error()
	}
	return shown
}

func newWorkspaceList(a *cli.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the workspaces, the last used first",
		Long: `
list shows your workspaces, the last used first. A * after the branch says that files which git tracks have changed.
With --json each has the settings in force there and its agents, each with the file that says who it is, the folder of
what it remembers, and its latest conversation.`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error {
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
			l := cli.NewList(a, asJSON, "NAME", "ID", "BRANCH", "SESSIONS", "AGENTS", "LAST USED", "FOLDER")
			look := func(w registry.Entry) shownWorkspace { return lookAt(a, cmd.Context(), w) }
			for _, w := range prefetch.Each(r.Workspaces, look) {
				l.Add(w, w.cells()...)
				if w.Problem != "" && !asJSON {
					a.Warn("%s: %s", w.Name, w.Problem)
				}
			}
			return l.Print("There are no workspaces yet. convene puts a folder into the list; council workspace add does too.")
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line, with settings and agents")
	return cmd
}

// cells returns the columns of a workspace in a list for people.
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

func newWorkspaceAdd(a *cli.Env) *cobra.Command {
	return &cobra.Command{Use: "add [FOLDER]",
		Short: "Put a folder into the list, this one or another, under the folder's name",
		Args:  cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			folder := cmp.Or(strings.Join(args, ""), ".")
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				return fmt.Errorf("there is no folder %s", site.PathLine(folder))
			}
			return a.InNewRecord(site.HomeOf(folder), func(root *recorder.Root) error {
				w, err := registry.Register(a.World, folder, root)
				if err == nil {
					a.Say("Workspace %s (%s) is in %s.", w.Name, w.ID, site.PathLine(w.Path))
				}
				return err
			})
		}}
}

// RenameWorkspace gives a workspace another name in the list.
func RenameWorkspace(a *cli.Env, from, to string) error {
	if utf8.RuneCountInString(to) > 64 || !registry.NamePattern.MatchString(to) {
		return site.Refuse("a workspace cannot be called "+site.Quote(to),
			"Use 1 to 64 letters, digits, dots, _ and -, beginning with a letter or a digit.")
	}
	return registry.Change(a.World, func(r *registry.List) error {
		i, err := r.Find(from)
		if err != nil {
			return err
		}
		taken := slices.IndexFunc(r.Workspaces, func(o registry.Entry) bool { return o.Name == to })
		if taken >= 0 {
			return site.Refuse("there is a workspace "+to+" already, in "+site.PathLine(r.Workspaces[taken].Path),
				"Choose another name.")
		}
		w := &r.Workspaces[i]
		if registry.WhyMissing(*w) == "" {
			err = a.InRecord(w.Record, func(root *recorder.Root) error {
				return a.Enter(root, audit.Entry{Type: audit.TypeWorkspace, What: w.Name + " to " + to, Action: "renamed"})
			})
		}
		if err != nil {
			return err
		}
		a.Say("Workspace %s is now called %s.", w.Name, to)
		w.Name = to
		return nil
	})
}

// knownAgent is a member that a workspace knows, from its configuration or because it has sat in a council there.
type knownAgent struct {
	ID           string `json:"id"`
	Name         string `json:"name,omitempty"`
	Persona      string `json:"persona,omitempty"`      // the file that says who it is; written when a session closes
	Home         string `json:"home,omitempty"`         // the folder of what it remembers
	Conversation string `json:"conversation,omitempty"` // the latest that is kept
}

// maxSessionsSearched bounds how many sessions, the newest first, are searched for the conversations of agents.
const maxSessionsSearched = 20

// agentsOf lists the agents of a workspace: those of its configuration in the order of their seats, then others that
// have a persona. ids are its sessions, newest first.
func agentsOf(w registry.Entry, root *recorder.Root, ids []council.SessionID) []knownAgent {
	var all []knownAgent
	remembers := filepath.Join(w.Record, "memory")
	if doc, err := site.ReadFile(filepath.Join(w.Path, site.ConfigFile)); err == nil {
		if c, err := config.Parse(doc); err == nil { // doctor says what is wrong with one
			if remembers = curator.MemoryDir(c.Storage, w.Record); !filepath.IsAbs(remembers) {
				remembers = filepath.Join(w.Path, remembers)
			}
			for _, m := range c.Members {
				all = append(all, knownAgent{ID: string(m.ID), Name: m.Name})
			}
		}
	}
	entries, _ := os.ReadDir(remembers) // there is none before the first session closes
	for _, e := range entries {
		known := slices.ContainsFunc(all, func(g knownAgent) bool { return g.ID == e.Name() })
		if page, err := site.ReadFile(filepath.Join(remembers, e.Name(), persona)); !known && err == nil {
			title, _, _ := strings.Cut(strings.TrimPrefix(string(page), "# "), "\n")
			all = append(all, knownAgent{ID: e.Name(), Name: title})
		}
	}
	for i := range all {
		g := &all[i]
		g.Home = there(remembers, g.ID)
		g.Persona = there(remembers, g.ID, persona)
		for _, id := range ids[:min(len(ids), maxSessionsSearched)] {
			g.Conversation = cmp.Or(g.Conversation,
				there(root.Path(), recorder.SessionsFolder, string(id), "conversations", g.ID+".jsonl"))
		}
	}
	return all
}

// persona is the file of an agent's persona in its home.
const persona = "AGENT.md"

// there returns a path, or "" if it does not exist.
func there(parts ...string) string {
	path := filepath.Join(parts...)
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}
