package setup

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/site"
)

func newWorkspaceRemove(a *cli.Env) *cobra.Command {
	var apply bool
	cmd := &cobra.Command{Use: "remove WORKSPACE",
		Short: "Say what belongs to a workspace, and with --apply delete it",
		Long: `
remove lists what belongs to a workspace: its sessions, memory and councils, all that is in the folder of its record.
Nothing is changed unless you add --apply: then this folder is deleted, without an archive, and the workspace leaves the
list. Your own files in the workspace stay, and so does memory that a configuration keeps outside of the record. Of a
workspace that is missing, --apply only removes the entry in the list.`,
		Args: cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			return RemoveWorkspace(a, args[0], apply)
		}}
	cmd.Flags().BoolVar(&apply, "apply", false, "do it; otherwise nothing is changed")
	return cmd
}

// RemoveWorkspace lists the files of a workspace, and with apply deletes them and its entry.
func RemoveWorkspace(a *cli.Env, name string, apply bool) error {
	r, err := registry.Read(a.World)
	if err != nil {
		return err
	}
	i, err := r.Find(name)
	if err != nil {
		return err
	}
	w := r.Workspaces[i]
	missing := registry.WhyMissing(w)
	if missing != "" {
		a.Say("Workspace %s in %s is missing: %s. Only its entry in the list would be removed.", w.Name,
			site.PathLine(w.Path),
			missing)
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
	if err == nil {
		a.Say("Workspace %s is not in the list any more.", w.Name)
	}
	return err
}

// listBelongings lists the files in the folder of a record, one line for each entry.
func listBelongings(a *cli.Env, w registry.Entry) error {
	return a.InRecord(w.Record, func(root *recorder.Root) error {
		ids, err := root.IDs()
		if err != nil {
			return err
		}
		entries, err := root.Files().List()
		if err != nil {
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
