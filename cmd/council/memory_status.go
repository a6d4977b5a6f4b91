package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/memory/workspace"
)

func (a *app) newMemoryResolve() *cobra.Command {
	var because string
	cmd := a.memoryVerb(&cobra.Command{
		Use:   "resolve RECORD",
		Short: "Say that something is settled",
		Long:  "resolve closes an open matter, or anything else that needs no more attention. Members are no longer told it.",
		Args:  cli.One("the id of a record"),
	}, func(cmd *cobra.Command, w *workspace.Workspace, args []string) error {
		held, err := w.Store.Record(args[0])
		if held.ID == "" {
			return err
		}
		r := held.Record
		if r.Status == memory.StatusSuperseded {
			return cli.Refuse(r.ID+" is superseded, so nobody is told it",
				"Nothing was changed. council memory list shows what stands in its place.")
		}
		a.setStatus(&r, memory.StatusResolved)
		return a.putRecord(cmd.Context(), w, "resolve", held.Member, because, r)
	})
	cmd.Flags().StringVar(&because, "because", "", "why, to be kept with it")
	return cmd
}

func (a *app) newMemorySupersede() *cobra.Command {
	var by, because string
	cmd := a.memoryVerb(&cobra.Command{
		Use:   "supersede RECORD [SUMMARY]",
		Short: "Put a newer record in the place of an older one",
		Long: `supersede makes a new record with SUMMARY that stands in the place of RECORD, or says with --by which one does. The old
one is kept, and is no longer told.`,
		Example: `  council memory supersede r-4k2m "From March on events go over NATS JetStream."
  council memory supersede r-4k2m --by r-9qx7`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch given := cmd.Flags().Changed("by"); {
			case len(args) == 0:
				return cli.Refuse("supersede needs the id of a record", "council memory list shows the ids.")
			case len(args) > 2:
				return cli.AtMostOne(cmd, args[1:])
			case given == (len(args) == 2):
				return cli.Refuse("what takes the place of "+cli.Quote(args[0])+" is to be said once",
					"Give a new summary, or the id of a record with --by.")
			}
			return cli.NotBlank(cmd, "by")
		},
	}, func(cmd *cobra.Command, w *workspace.Workspace, args []string) error {
		old, err := w.Store.Record(args[0])
		if old.ID == "" {
			return err
		}
		if old.Status == memory.StatusSuperseded {
			return a.placeTaken(w, old)
		}
		if by == "" {
			if err := checkSummary(args[1]); err != nil {
				return err
			}
			r := old.Record
			r.ID, r.Summary, r.Detail, r.Evidence = "", hostile.Line(args[1]), "", nil
			r.Supersedes = []string{old.ID}
			a.setStatus(&r, memory.StatusActive)
			return a.putRecord(cmd.Context(), w, "supersede", old.Member, because, r)
		}
		heir, err := w.Store.Record(by)
		if heir.ID == "" {
			return err
		}
		if heir.Member != old.Member {
			return cli.Refuse(heir.ID+" and "+old.ID+" stand in different books",
				"A record can only take the place of one in its own book.")
		}
		if heir.ID == old.ID {
			return cli.Refuse("a record cannot take its own place", "Nothing was changed.")
		}
		if heir.Status != memory.StatusActive {
			return cli.Refuse(fmt.Sprintf("%s is %s, so it cannot stand in the place of another", heir.ID, heir.Status),
				"First, if it holds: council memory edit "+heir.ID+" --status active")
		}
		if heir.Rehearsed && !old.Rehearsed {
			return cli.Refuse(heir.ID+" was rehearsed, so a council with models would be told neither",
				"Say it yourself: council memory supersede "+old.ID+" SUMMARY")
		}
		r := heir.Record
		if !slices.Contains(r.Supersedes, old.ID) {
			r.Supersedes = append(slices.Clone(r.Supersedes), old.ID)
		}
		return a.putRecord(cmd.Context(), w, "supersede", heir.Member, because, r)
	})
	cmd.Flags().StringVar(&by, "by", "", "id of the record that takes its place")
	cmd.Flags().StringVar(&because, "because", "", "why, to be kept with it")
	return cmd
}

// restate gives a record the status that a person names, and returns the records that stood in its place and do not any
// more, when it holds again.
func (a *app) restate(w *workspace.Workspace, held store.Held, r *memory.Record, name string) ([]memory.Record, error) {
	if err := cli.KnownWord("status", name, memory.Statuses()); err != nil {
		return nil, err
	}
	status := memory.Status(name)
	switch {
	case status == memory.StatusSuperseded && held.Status != status:
		return nil, cli.Refuse("superseded says that another record stands in the place of "+r.ID,
			"Name it: council memory supersede "+r.ID+" --by RECORD")
	case status == memory.StatusActive && expired(*r, a.Now()):
		return nil, cli.Refuse(r.ID+" held until "+day(*r.ExpiresAt),
			"Say how long it holds now, with --expires: a day to come, or none.")
	case status == held.Status:
		return nil, nil
	}
	a.setStatus(r, status)
	if held.Status != memory.StatusSuperseded {
		return nil, nil
	}
	heirs, err := heirsOf(w, held)
	for i := range heirs {
		heirs[i].Supersedes = slices.DeleteFunc(slices.Clone(heirs[i].Supersedes), func(id string) bool { return id == r.ID })
	}
	return heirs, err
}

// heirsOf returns the records that stand in the place of another.
func heirsOf(w *workspace.Workspace, held store.Held) (all []memory.Record, err error) {
	for r, err := range w.Store.All(held.Member) {
		if err != nil {
			return nil, err
		}
		if slices.Contains(r.Supersedes, held.ID) {
			all = append(all, r)
		}
	}
	return all, nil
}

// placeTaken refuses to put something in the place of a record whose place is taken.
func (a *app) placeTaken(w *workspace.Workspace, held store.Held) error {
	in, err := heirsOf(w, held)
	if err != nil {
		return err
	}
	hint := "Nothing was changed."
	if len(in) > 0 {
		hint = "In its place stands " + in[0].ID + "; supersede that one."
	}
	return cli.Refuse(held.ID+" is superseded already", hint)
}
