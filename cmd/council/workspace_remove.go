package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
Nothing is changed unless you add --apply: then this folder is deleted, without an archive, and the workspace leaves the
list. Your own files in the workspace stay, and so does memory that a configuration keeps outside of the record. Of a
workspace that is missing, --apply only removes the entry in the list.`,
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
	missing := whyMissing(w)
	if missing != "" {
		a.Say("Workspace %s in %s is missing: %s. Only its entry in the list would be removed.", w.Name, pathLine(w.Path),
			missing)
	} else if err := a.listBelongings(w); err != nil {
		return err
	}
	if !apply {
		a.Say("Nothing was changed. To remove it: council workspace remove %s --apply", w.Name)
		return nil
	}
	if missing == "" {
		if err := a.deleteRecord(w); err != nil {
			return fmt.Errorf("%s could not be deleted whole: %w", pathLine(w.Record), err)
		}
		a.Say("Deleted %s.", pathLine(w.Record))
	}
	err = a.changeRegistry(func(r *registry) error {
		r.Workspaces = slices.DeleteFunc(r.Workspaces, func(o registered) bool { return o.ID == w.ID })
		return nil
	})
	if err == nil {
		a.Say("Workspace %s is not in the list any more.", w.Name)
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
		a.Say("Workspace %s has %s in %s:", w.Name, plural.Things(len(ids), "session"), pathLine(w.Record))
		var rows [][]any
		for _, e := range entries {
			files, bytes, err := measure(filepath.Join(w.Record, e.Name()))
			if err != nil {
				return err
			}
			rows = append(rows, []any{"  " + hostile.Line(e.Name()), plural.Things(files, "file"), plural.Things(bytes, "byte")})
		}
		return a.Table(rows...)
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
		return a.enter(root, audit.Entry{Type: audit.TypeWorkspace, What: w.Name, Action: "removed"})
	})
	if err != nil {
		return err
	}
	return a.inFolder(filepath.Dir(w.Record), func(in atomicfile.Files) error {
		return removeTree(in, filepath.Base(w.Record), idFile, recorder.VersionFile)
	})
}

// idle returns an [*atomicfile.LockedError] while a process works in a workspace.
func idle(root *recorder.Root) error {
	for _, pattern := range []string{"*.lock", "*.pid", recorder.LocksFolder + "/*.lock"} {
		names, _ := fs.Glob(os.DirFS(root.Path()), pattern) // which fails for a wrong pattern only
		for _, name := range names {
			if holder, held := atomicfile.LockedBy(root.Files(), name); held {
				return &atomicfile.LockedError{Holder: holder}
			}
		}
	}
	return nil
}

// removeTree deletes a file, or a folder with all that is in it, the last of which are those that are named. Links are
// deleted and not followed.
func removeTree(in atomicfile.Files, name string, last ...string) error {
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
		slices.SortStableFunc(entries, func(x, y fs.DirEntry) int {
			return cmp.Compare(slices.Index(last, x.Name()), slices.Index(last, y.Name()))
		})
		for _, e := range entries {
			if err == nil {
				err = removeTree(folder, e.Name())
			}
		}
		if err := errors.Join(err, folder.Close()); err != nil {
			return err
		}
	}
	return in.Remove(name)
}
