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

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/ahead"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

func (a *app) newWorkspace() *cobra.Command {
	rename := &cobra.Command{
		Use: "rename WORKSPACE NAME", Short: "Give a workspace another name",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage(cmd, errors.New("rename needs a workspace and its new name"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.renameWorkspace(args[0], args[1]) },
	}
	return newGroup("workspace", "List the folders in which you convene councils",
		`workspace keeps a list of your workspaces: the folders in which you convene councils. convene puts a folder into it by
itself. A folder that has moved is known again by its id and keeps its name; one that is not there, perhaps because its
disk is not mounted, is listed as missing and stays in the list.`,
		a.newWorkspaceList(), a.newWorkspaceAdd(), rename, a.newWorkspaceRemove())
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

// maxGit is how long git may take to say how a workspace's files stand.
const maxGit = 2 * time.Second

// look returns how a workspace stands. What cannot be read of it is said in it.
func (a *app) look(ctx context.Context, cmd *cobra.Command, w registered) shownWorkspace {
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
	all, bad := a.shownSettings(cmd, w.Record)
	for _, s := range all {
		if s.From != fromDefault {
			shown.Settings = append(shown.Settings, s)
		}
	}
	if err = errors.Join(err, bad); err != nil {
		shown.Problem = err.Error()
	}
	return shown
}

// whyMissing says why a workspace is not where the list has it, or "".
func whyMissing(w registered) string {
	if id := idIn(w.Record); id == w.ID {
		return ""
	} else if id != "" {
		return "another workspace is there now"
	}
	if _, err := os.Stat(w.Path); err != nil {
		return "it has moved, was deleted, or its disk is not mounted"
	}
	return "its record is not there any more"
}

func (a *app) newWorkspaceList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [WORKSPACE]",
		Short: "List the workspaces, or show one with its settings and agents",
		Long: `list shows your workspaces, the last used first. A * after the branch says that files which git tracks have changed.
With a name, an id or a folder it shows one: the settings in force there, and its agents, each with the file that says
who it is, the folder of what it remembers, and its latest conversation.`,
		Args: cli.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if id := idIn(cli.Home()); id != "" {
				a.refind(id)
			}
			r, err := a.readRegistry()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				i, err := r.find(args[0])
				if err != nil {
					return err
				}
				r.Workspaces = r.Workspaces[i : i+1]
			}
			slices.SortStableFunc(r.Workspaces, func(x, y registered) int { return y.Used.Compare(x.Used) })
			var all []shownWorkspace
			looked := ahead.Each(r.Workspaces, func(w registered) shownWorkspace {
				return a.look(cmd.Context(), (&app{Env: a.Env}).newRoot(), w)
			})
			for _, shown := range looked {
				all = append(all, shown)
			}
			return a.tellWorkspaces(all, asJSON, len(args) == 1)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line, with settings and agents")
	return cmd
}

// refind brings the list up to date where the workspace of the working folder has moved.
func (a *app) refind(id string) {
	r, err := a.readRegistry()
	record, bad := resolved(cli.Home())
	moved := func(w registered) bool { return w.ID == id && w.Record != record && whyMissing(w) != "" }
	if err != nil || bad != nil || !slices.ContainsFunc(r.Workspaces, moved) {
		return
	}
	err = a.InRecord(cli.Home(), func(root *recorder.Root) error {
		_, err := a.register(".", root, "")
		return err
	})
	if err != nil {
		a.Warn("This workspace has moved, and the list of workspaces could not be changed: %v", err)
	}
}

func (a *app) tellWorkspaces(all []shownWorkspace, asJSON, whole bool) error {
	if len(all) == 0 && !asJSON {
		a.Say("There are no workspaces yet. convene puts a folder into the list; council workspace add does too.")
		return nil
	}
	rows := [][]any{{"NAME", "ID", "BRANCH", "SESSIONS", "AGENTS", "LAST USED", "FOLDER"}}
	for _, w := range all {
		if asJSON {
			if err := a.JSON(w); err != nil {
				return err
			}
			continue
		}
		branch, sessions, agents, folder := w.Git.Branch, fmt.Sprint(w.Sessions), fmt.Sprint(len(w.Agents)), w.Path
		if w.Git.Dirty {
			branch += "*"
		}
		if w.Missing != "" {
			sessions, agents, folder = "-", "-", folder+" (missing: "+w.Missing+")"
		}
		rows = append(rows, []any{w.Name, w.ID, terminal.Short(cmp.Or(branch, "-"), 30), sessions, agents,
			w.Used.Local().Format("2006-01-02 15:04"), pathLine(folder)})
	}
	if asJSON {
		return nil
	}
	err := a.Table(rows...)
	for _, w := range all {
		if w.Problem != "" {
			a.Warn("%s: %s", w.Name, w.Problem)
		}
		if whole {
			err = errors.Join(err, a.tellWorkspace(w))
		}
	}
	return err
}

// tellWorkspace prints the settings and the agents of a workspace.
func (a *app) tellWorkspace(w shownWorkspace) error {
	rows := [][]any{{"\nSETTING", "VALUE", "FROM"}}
	for _, s := range w.Settings {
		rows = append(rows, []any{s.Key, terminal.Short(s.Value, 60), hostile.Line(s.From)})
	}
	var err error
	if len(rows) > 1 {
		err = a.Table(rows...)
	}
	rows = [][]any{{"\nAGENT", "NAME", "PERSONA", "HOME", "CONVERSATION"}}
	for _, g := range w.Agents {
		row := []any{hostile.Line(g.ID), terminal.Short(g.Name, 30)}
		for _, path := range []string{g.Persona, g.Home, g.Conversation} {
			if in, err := filepath.Rel(w.Path, path); err == nil && path != "" {
				path = in
			}
			row = append(row, pathLine(cmp.Or(path, "-")))
		}
		rows = append(rows, row)
	}
	if len(rows) > 1 {
		err = errors.Join(err, a.Table(rows...))
	}
	return err
}

func (a *app) newWorkspaceAdd() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "add [FOLDER]",
		Short: "Put a folder into the list, this one or another",
		Args:  cli.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			if name != "" && !workspaceName.MatchString(name) {
				return badWorkspaceName(name)
			}
			folder := cmp.Or(strings.Join(args, ""), ".")
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				return fmt.Errorf("there is no folder %s", pathLine(folder))
			}
			root, err := recorder.OpenRoot(cli.HomeOf(folder), a.Record()...)
			if err != nil {
				return err
			}
			defer root.Close()
			w, err := a.register(folder, root, name)
			if err == nil {
				a.Say("Workspace %s (%s) is in %s.", w.Name, w.ID, pathLine(w.Path))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what to call it (default: like the folder)")
	return cmd
}

func badWorkspaceName(name string) error {
	return cli.Refuse("a workspace cannot be called "+cli.Quote(name),
		"Use 1 to 64 letters, digits, dots, _ and -, beginning with a letter or a digit.")
}

func (a *app) renameWorkspace(from, to string) error {
	if !workspaceName.MatchString(to) {
		return badWorkspaceName(to)
	}
	return a.changeRegistry(func(r *registry) error {
		i, err := r.find(from)
		if err != nil {
			return err
		}
		w := &r.Workspaces[i]
		taken := slices.IndexFunc(r.Workspaces, func(o registered) bool { return o.Name == to })
		if taken >= 0 && taken != i {
			return cli.Refuse("there is a workspace "+to+" already, in "+pathLine(r.Workspaces[taken].Path),
				"Choose another name.")
		}
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
