package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

func (a *app) newWorkspaceRemove() *cobra.Command {
	var apply bool
	cmd := &cobra.Command{
		Use:   "remove WORKSPACE",
		Short: "Say what belongs to a workspace, and with --apply delete it",
		Long: `remove lists what belongs to a workspace: its sessions, memory and councils, all that is in the folder of its record.
Nothing is changed unless you add --apply: then this folder is deleted, and the workspace leaves the list. Nothing is archived.
Your own files in the workspace stay, and so does memory that a configuration keeps outside of the record.

Of a workspace that is missing, --apply only removes the entry in the list.`,
		Args: cli.One("a workspace; council workspace list has them"),
		RunE: func(_ *cobra.Command, args []string) error { return a.removeWorkspace(args[0], apply) },
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "do it; otherwise nothing is changed")
	return cmd
}

// removeWorkspace lists what belongs to a workspace, and with apply deletes that and its entry.
func (a *app) removeWorkspace(name string, apply bool) error {
	r, err := a.readRegistry()
	if err != nil {
		return err
	}
	i, err := r.find(name)
	if err != nil {
		return err
	}
	w := r.Workspaces[i]
	a.Say("Workspace %s (%s) in %s:", w.Name, w.ID, pathLine(w.Path))
	missing := whyMissing(w)
	if missing != "" {
		a.Say("  It is missing: %s. Only its entry in the list would be removed.", missing)
	} else if err := a.listBelongings(w); err != nil {
		return err
	}
	if !apply {
		a.Say("Nothing was changed. To remove it: council workspace remove %s --apply", w.Name)
		return nil
	}
	err = a.changeRegistry(func(r *registry) error {
		if missing == "" {
			if err := a.deleteRecord(w); err != nil {
				return err
			}
		}
		r.Workspaces = slices.DeleteFunc(r.Workspaces, func(o registered) bool { return o.ID == w.ID })
		return nil
	})
	if err == nil && missing != "" {
		a.Say("Workspace %s is not in the list any more. Nothing else was changed.", w.Name)
	} else if err == nil {
		a.Say("Workspace %s was removed, with %s.", w.Name, pathLine(w.Record))
	}
	return err
}

// listBelongings lists what is in the folder of a record, one line for each entry.
func (a *app) listBelongings(w registered) error {
	return a.InRecord(w.Record, func(root *recorder.Root) error {
		ids, err := root.IDs()
		if err != nil {
			return err
		}
		entries, err := root.Files().List()
		if err != nil {
			return err
		}
		a.Say("  %s, with %s:", pathLine(w.Record), plural.Things(len(ids), "session"))
		var rows [][]any
		for _, e := range entries {
			files, bytes, err := measure(filepath.Join(w.Record, e.Name()))
			if err != nil {
				return err
			}
			what := hostile.Line(e.Name())
			if e.IsDir() {
				what += "/"
			}
			rows = append(rows, []any{"    " + what, plural.Things(files, "file"), plural.Things(bytes, "byte")})
		}
		err = a.Table(rows...)
		for _, g := range agentsOf(w, root, nil) {
			if in, bad := filepath.Rel(w.Record, g.Home); g.Home != "" && (bad != nil || !filepath.IsLocal(in)) {
				a.Say("  Memory is outside of it and stays: %s", pathLine(filepath.Dir(g.Home)))
				break
			}
		}
		return err
	})
}

// measure counts the files below a path, and their bytes. Links are counted and not followed.
func measure(path string) (files int, bytes int64, err error) {
	err = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	})
	return files, bytes, err
}

// deleteRecord deletes the folder of a record, after an entry in its ledger. What says whose folder it is goes last, so
// that it can be finished after a kill. Somebody who works there keeps it.
func (a *app) deleteRecord(w registered) error {
	err := a.InRecord(w.Record, func(root *recorder.Root) error {
		if err := idle(root); err != nil {
			return err
		}
		if err := a.enter(root, audit.Entry{Type: audit.TypeWorkspace, What: w.Name, Action: "removed"}); err != nil {
			return err
		}
		files := root.Files()
		entries, err := files.List()
		if err != nil {
			return err
		}
		last := []string{idFile, recorder.VersionFile}
		for _, e := range entries {
			if !slices.Contains(last, e.Name()) {
				err = errors.Join(err, removeTree(files, e.Name()))
			}
		}
		for _, name := range last {
			if err == nil {
				err = files.Remove(name)
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s could not be removed whole: %w", pathLine(w.Record), err)
	}
	parent, err := atomicfile.OpenDir(filepath.Dir(w.Record))
	if err != nil {
		return err
	}
	defer parent.Close()
	return a.Through(parent).Remove(filepath.Base(w.Record))
}

// idle returns an [*atomicfile.LockedError] while a process works in a workspace.
func idle(root *recorder.Root) error {
	for _, in := range []string{"", recorder.LocksFolder} {
		entries, err := os.ReadDir(filepath.Join(root.Path(), in))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if end := filepath.Ext(e.Name()); !e.Type().IsRegular() || end != ".lock" && end != ".pid" {
				continue
			}
			if holder, held := atomicfile.LockedBy(root.Files(), path.Join(in, e.Name())); held {
				return &atomicfile.LockedError{Holder: holder}
			}
		}
	}
	return nil
}

// removeTree deletes a file, or a folder with all that is below it. Links are deleted and not followed.
func removeTree(in atomicfile.Files, name string) error {
	info, err := in.Lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		folder, err := in.Folder(name)
		if err != nil {
			return err
		}
		entries, err := folder.List()
		for _, e := range entries {
			err = errors.Join(err, removeTree(folder, e.Name()))
		}
		if err := errors.Join(err, folder.Close()); err != nil {
			return err
		}
	}
	return in.Remove(name)
}
