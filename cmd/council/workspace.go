package main

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
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
)

func (a *app) newWorkspace() *cobra.Command {
	rename := standalone("workspace rename", func(_ *cobra.Command, args []string) error {
		return a.renameWorkspace(args[0], args[1])
	})
	return newGroup("workspace", a.newWorkspaceList(), a.newWorkspaceAdd(), rename, a.newWorkspaceRemove())
}

// shownWorkspace is a workspace as it stands now.
type shownWorkspace struct {
	registered
	Missing  string             `json:"missing,omitempty"` // why it cannot be looked at
	Git      documents.WorkTree `json:"git,omitzero"`
	Sessions int                `json:"sessions"`
	Settings []shownSetting     `json:"settings,omitempty"`
	Agents   []knownAgent       `json:"agents,omitempty"`
	Problem  string             `json:"problem,omitempty"` // what of it cannot be read
}

// shownSetting is a setting that is in force in a workspace, and is not the default.
type shownSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// maxGit is how long git may take to say how a workspace's files stand.
const maxGit = 2 * time.Second

// look returns how a workspace stands. What cannot be read of it is said in it.
func (a *app) look(ctx context.Context, w registered) shownWorkspace {
	shown := shownWorkspace{registered: w, Missing: whyMissing(w)}
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
	all, bad := a.settingsOf(w.Record)
	for _, s := range settings {
		if g := all[s.key]; g.value != "" {
			shown.Settings = append(shown.Settings, shownSetting{s.key, g.value, g.from})
		}
	}
	if err = errors.Join(err, bad); err != nil {
		shown.Problem = err.Error()
	}
	return shown
}

// whyMissing says why a workspace is not where the list has it, or "".
func whyMissing(w registered) string {
	if idIn(w.Record) == w.ID {
		return ""
	}
	return "it has moved, was deleted, or its disk is not mounted"
}

func (a *app) newWorkspaceList() *cobra.Command {
	var asJSON bool
	return withFlags(vars{"json": &asJSON}, standalone("workspace list", func(cmd *cobra.Command, _ []string) error {
		r, err := a.readRegistry()
		id := idIn(cli.Home())
		moved := func(w registered) bool { return w.ID == id && whyMissing(w) != "" }
		if slices.ContainsFunc(r.Workspaces, moved) { // to this folder
			err = a.InRecord(cli.Home(), func(root *recorder.Root) error {
				a.noteUse(root)
				r, err = a.readRegistry()
				return err
			})
		}
		if err != nil {
			return err
		}
		slices.SortStableFunc(r.Workspaces, func(x, y registered) int { return y.Used.Compare(x.Used) })
		l := a.list(asJSON, "NAME", "ID", "BRANCH", "SESSIONS", "AGENTS", "LAST USED", "FOLDER")
		look := func(w registered) shownWorkspace { return a.look(cmd.Context(), w) }
		for _, w := range prefetch.Each(r.Workspaces, look) {
			l.add(w, w.cells()...)
			if w.Problem != "" && !asJSON {
				a.Warn("%s: %s", w.Name, w.Problem)
			}
		}
		return l.print("There are no workspaces yet. convene puts a folder into the list; council workspace add does too.")
	}))
}

// cells returns what a list for people shows of a workspace.
func (w shownWorkspace) cells() []any {
	branch, sessions, agents, folder := w.Git.Branch, fmt.Sprint(w.Sessions), fmt.Sprint(len(w.Agents)), w.Path
	if w.Git.Dirty {
		branch += "*"
	}
	if w.Missing != "" {
		sessions, agents, folder = "-", "-", folder+" (missing: "+w.Missing+")"
	}
	return []any{w.Name, w.ID, terminal.Short(cmp.Or(branch, "-"), 30), sessions, agents,
		w.Used.Local().Format("2006-01-02 15:04"), pathLine(folder)}
}

func (a *app) newWorkspaceAdd() *cobra.Command {
	return standalone("workspace add", func(_ *cobra.Command, args []string) error {
		folder := cmp.Or(strings.Join(args, ""), ".")
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no folder %s", pathLine(folder))
		}
		return a.inNewRecord(cli.HomeOf(folder), func(root *recorder.Root) error {
			w, err := a.register(folder, root)
			if err == nil {
				a.Say("Workspace %s (%s) is in %s.", w.Name, w.ID, pathLine(w.Path))
			}
			return err
		})
	})
}

// inNewRecord does something in the record in a folder, which is made if there is none.
func (a *app) inNewRecord(folder string, do func(*recorder.Root) error) error {
	root, err := recorder.OpenRoot(folder, a.Layer)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

func (a *app) renameWorkspace(from, to string) error {
	if utf8.RuneCountInString(to) > 64 || !workspaceName.MatchString(to) {
		return cli.Refuse("a workspace cannot be called "+cli.Quote(to),
			"Use 1 to 64 letters, digits, dots, _ and -, beginning with a letter or a digit.")
	}
	return a.changeRegistry(func(r *registry) error {
		i, err := r.find(from)
		if err != nil {
			return err
		}
		taken := slices.IndexFunc(r.Workspaces, func(o registered) bool { return o.Name == to })
		if taken >= 0 {
			return cli.Refuse("there is a workspace "+to+" already, in "+pathLine(r.Workspaces[taken].Path),
				"Choose another name.")
		}
		w := &r.Workspaces[i]
		if whyMissing(*w) == "" {
			err = a.InRecord(w.Record, func(root *recorder.Root) error {
				return a.enter(root, audit.Entry{Type: audit.TypeWorkspace, What: w.Name + " to " + to, Action: "renamed"})
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
func agentsOf(w registered, root *recorder.Root, ids []council.SessionID) []knownAgent {
	var all []knownAgent
	remembers := filepath.Join(w.Record, "memory")
	if doc, err := readCouncil(filepath.Join(w.Path, cli.ConfigFile)); err == nil {
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
		if page, err := readCouncil(filepath.Join(remembers, e.Name(), persona)); !known && err == nil {
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

// persona is the file in an agent's home that says who it is.
const persona = "AGENT.md"

// there returns a path, or "" where nothing is.
func there(parts ...string) string {
	path := filepath.Join(parts...)
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}
