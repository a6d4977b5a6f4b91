package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/workspace"
)

func (a *app) newMemoryForget() *cobra.Command {
	var p memoryFlags
	var phrases []string
	var yes bool
	cmd := &cobra.Command{
		Use:   "forget [RECORD | TURN | SESSION]...",
		Short: "Erase words everywhere, for good",
		Long: `forget erases what somebody said, wherever it stands: in the logs and conversations of sessions, in what was rendered
from them, in memory, episodes, turns and the index. A record goes with all the words that it rests on, a turn with what
was said in it, a session with everything that was said.

The record of a session still holds: its chain, its votes and its anchors are verified as before, and council verify says
that something was forgotten. The name of a session is made of its topic and stays, with its folder, its files and its
anchors. Your own files are not touched; those that still hold the words are named.

Without --yes it only says what would go. It cannot be undone. If it is cut off, or a session is in use, the next command
finishes it; until then the words are kept in the file .forgetting of the record, which only you can read.`,
		Example: `  council memory forget r-4k2m
  council memory forget --phrase "the customer Mary Miller" --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args)+len(phrases) == 0 {
				return cli.Refuse("nothing was named to forget", "Name a record, a turn or a session, or give words with --phrase.")
			}
			if err := cli.NotBlank(cmd, "phrase"); err != nil {
				return err
			}
			return a.inMemory(cmd, p, false, func(w *workspace.Workspace) error {
				o, err := w.Consider(cmd.Context(), args, phrases)
				if err != nil {
					return err
				}
				if o.Empty() {
					fmt.Fprintln(a.Out, "These words stand nowhere that council writes; there is nothing to forget.")
					return a.tellLeft(staying(o))
				}
				if !yes {
					a.tellForgetPlan(o)
					return nil
				}
				return a.forgetWords(cmd, w, o)
			})
		},
	}
	p.flags(cmd.Flags())
	cmd.Flags().StringArrayVar(&phrases, "phrase", nil,
		"words to erase wherever they stand, exactly as written (repeatable)")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")
	return cmd
}

func (a *app) tellForgetPlan(o workspace.ForgetPlan) {
	if len(o.Records) > 0 {
		fmt.Fprintln(a.Out, "Records that would go:")
	}
	for _, r := range o.Records {
		a.Say("  %s  %s  %s", r.ID, bookOwner(r.Member), terminal.Short(r.Summary, 90))
	}
	if len(o.Reduced) > 0 {
		fmt.Fprintln(a.Out, "Records that would lose words:")
	}
	for _, r := range o.Reduced {
		a.Say("  %s  %s  %s", r.ID, bookOwner(r.Member), terminal.Short(r.Summary, 90))
	}
	if len(o.Sessions()) > 0 {
		fmt.Fprintln(a.Out, "Sessions that would lose words:")
	}
	for _, id := range o.Sessions() {
		var events []string
		for _, seq := range o.Events[id] {
			events = append(events, seq.ID())
		}
		switch {
		case len(events) > 12:
			fmt.Fprintf(a.Out, "  %s  all that was said in %s\n", id, plural.Things(len(events), "event"))
		case len(events) > 0:
			fmt.Fprintf(a.Out, "  %s  all that was said in %s\n", id, cli.Join(events))
		default:
			fmt.Fprintf(a.Out, "  %s  these words alone\n", id)
		}
	}
	list := func(title string, names []string) {
		if len(names) > 0 {
			fmt.Fprintln(a.Out, title)
		}
		for _, name := range names {
			a.Say("  %s", name)
		}
	}
	list("Other files that hold these words, and would be made again without them:", o.Elsewhere)
	list("These words would stay here:", staying(o))
	fmt.Fprintln(a.Out, "\nNothing was changed. To erase it for good, say the same with --yes.")
}

func (a *app) forgetWords(cmd *cobra.Command, w *workspace.Workspace, o workspace.ForgetPlan) error {
	if now, err := w.Store.Recover(); err != nil || len(now.Edits) > 0 {
		return cmp.Or(err, cli.Refuse("a file of memory was edited, and forget writes every file anew",
			"Nothing was changed. First: council memory accept, or council memory accept --discard."))
	}
	if err := a.enterForgetting(w.Root, o); err != nil {
		return err
	}
	done, err := w.Forget(cmd.Context(), o, a.By(), a.Inputs())
	a.tellMemory(done.Memory)
	if err != nil {
		return fmt.Errorf("not everything is forgotten yet: %w; the next command goes on with it", err)
	}
	events := 0
	for _, n := range done.Events {
		events += n
	}
	fmt.Fprintf(a.Out, "Forgotten: %s, and the words of %s in %s.\n",
		plural.Things(done.Records, "record"), plural.Things(events, "event"), plural.Things(len(done.Events), "session"))
	for _, id := range done.Restored {
		fmt.Fprintf(a.Out, "Session %s was taken out of the archive for it; council gc --apply archives it again.\n", id)
	}
	return a.tellLeft(done.Left)
}

// staying lists the places where the words would stay.
func staying(o workspace.ForgetPlan) []string {
	places := slices.Clone(o.Own)
	for _, id := range o.Named {
		places = append(places, fmt.Sprintf("session %s: its name, which is made of the topic, and so the names of its "+
			"folder, files and anchors", id))
	}
	return places
}

// tellLeft names the places that are left as they are. If there are any, its error wraps [cli.ErrFindings].
func (a *app) tellLeft(places []string) error {
	if len(places) == 0 {
		return nil
	}
	fmt.Fprintln(a.Errs, "The same words also stand in these places, which are left as they are. To erase words "+
		"wherever they\nstand, give them with --phrase; your own files are yours to change.")
	for _, place := range places {
		a.Warn("  %s", place)
	}
	return &cli.Told{Err: cli.ErrFindings}
}
