package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/memory/workspace"
)

func (a *app) newMemoryAccept() *cobra.Command {
	var dry, discard bool
	cmd := a.memoryVerb(&cobra.Command{
		Use:   "accept",
		Short: "Take in what you changed in the files of memory",
		Long: `accept takes in what you changed in COUNCIL.md or COUNCIL.json, or in the MEMORY.md or MEMORY.json of a member. It is a
change made by you: the journal keeps what stood before and after. A record that you removed is resolved; nothing is
deleted. Until it is accepted nobody is told the change, and the next session that closes sets the file aside.

In Markdown change the quoted words of a record, its status or its importance, or remove the record; in JSON also its
kind, tags, confidence and expiry. If a file has any other change, its line is named and nothing is taken in.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if dry && discard {
				return cli.Refuse("--dry-run and --discard say two things", "Give one of them.")
			}
			return cli.NoArgs(cmd, args)
		},
	}, func(cmd *cobra.Command, w *workspace.Workspace, _ []string) error {
		if discard {
			report, err := w.Store.Discard()
			a.tellMemory(report)
			return err
		}
		report, err := w.Store.Recover()
		for _, left := range report.Left {
			err = errors.Join(err, left.Err)
		}
		for _, e := range report.Edits {
			err = errors.Join(err, e.Err)
		}
		if err != nil {
			return err
		}
		return a.acceptEdits(cmd.Context(), w, report.Edits, dry)
	})
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be taken in")
	cmd.Flags().BoolVar(&discard, "discard", false, "write the files as they were, and keep the edited ones beside them")
	return cmd
}

// acceptEdits makes each edit a change by whoever runs the command.
func (a *app) acceptEdits(ctx context.Context, w *workspace.Workspace, edits []store.Edit, dry bool) error {
	if len(edits) == 0 {
		fmt.Fprintln(a.Out, "No file of memory was edited.")
	}
	for _, e := range edits {
		now := a.Now().UTC().Truncate(time.Millisecond)
		c := memory.Change{By: a.By(), Verb: "accept", Member: e.Member}
		b, err := w.Store.Book(c.Member)
		if err != nil {
			return err
		}
		for _, one := range e.Corrections {
			r, verb := one.After, "accept"
			if one.Removed {
				verb = "remove"
			}
			cutRecord(&r)
			r.UpdatedAt = now
			r.Evidence = memory.WithEvidence(r.Evidence, personalEvidence(b, a.By(), verb, ""))
			c.Put, c.Before = append(c.Put, r), append(c.Before, one.Before)
			a.Say("%s: %s, %s. %s", r.ID, r.Kind.Words(), r.Status, r.Summary)
		}
		if dry {
			fmt.Fprintln(a.Out, "Nothing was changed.")
			continue
		}
		report, err := a.changeMemory(ctx, w, c, now, e)
		a.tellMemory(report)
		if err != nil && !errors.Is(err, workspace.ErrNotIndexed) { // the next command tries again
			return err
		}
	}
	return nil
}

// tellEdits prints what people changed in files of memory that is not accepted.
func (a *app) tellEdits(edits []store.Edit) {
	for _, e := range edits {
		if e.Err != nil {
			a.tellOnce("Memory: %v.", e.Err)
			continue
		}
		a.tellOnce("Memory: %s was edited. Nobody is told it before you take it in with council memory accept; with "+
			"--discard\nthe file is kept aside.", e.Path)
		for _, c := range e.Corrections {
			if c.Removed {
				a.tellOnce("  %s was removed, and becomes resolved: %s", c.Before.ID, terminal.Short(c.Before.Summary, 90))
				continue
			}
			for _, f := range c.Fields() {
				a.tellOnce("  %s, %s\n    - %s\n    + %s", c.Before.ID, f[0], f[1], f[2])
			}
		}
	}
}
