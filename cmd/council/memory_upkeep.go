package main

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/memory/workspace"
	"github.com/council-engine/council/recorder"
)

func (a *app) newMemoryRebuild() *cobra.Command {
	return a.memoryVerb(&cobra.Command{
		Use:   "rebuild",
		Short: "Fold all closed sessions into memory again",
		Long: `rebuild makes memory again from its journal and the logs of the sessions, in the order in which they closed, with every
change that a person made in between. When nothing is wrong every file stays as it is, byte for byte. What differed is
kept aside under a name that ends in the time.

Episodes, turns and the index are made again too.`,
		Args: cli.NoArgs,
	}, "", func(c *command, w *workspace.Workspace) error {
		report, err := w.Rebuild(c.ctx)
		a.tellMemory(report.Memory)
		if err != nil {
			return err
		}
		for _, b := range report.Memory.Wrote {
			a.Say("The book of %s was written again.", bookOwner(b.Member))
		}
		if len(report.Memory.Wrote) == 0 {
			a.Say("Every book was as its journal yields it.")
		}
		a.Say("Sessions: %d. Turns: %d. The index was built again.", report.Sessions, report.Turns)
		return a.tellUnread(report.Unread, "")
	})
}

func (a *app) newMemoryCheck() *cobra.Command {
	return a.memoryVerb(&cobra.Command{
		Use:   "check",
		Short: "Look through memory, and change nothing",
		Long: `check folds the journal again and compares: it names files that cannot be read, books that are not what was remembered,
pages that somebody edited, sessions whose logs are missing, episodes and turns that are missing or changed, and an index that is damaged or does not
hold what they hold. It changes nothing.

Exit codes: 0 all is well · 3 something was found · 5 a file is damaged.`,
		Args: cli.NoArgs,
	}, jsonLines, func(c *command, w *workspace.Workspace) error {
		inMemory, inRecord, err := w.Check(c.ctx)
		if err != nil {
			return err
		}
		return c.tellFindings(w, inMemory, inRecord)
	})
}

var cures = map[store.FindingKind]string{
	store.Unreadable: "Put it back from a copy, or make it again: council memory rebuild (it keeps what is there " +
		"beside it)",
	store.Behind:  "Any council command catches it up, once its files can be read.",
	store.Differs: "To go back to what was remembered: council memory rebuild (it keeps what is there now beside it)",
	store.Edited: "To take in what was changed in a book or its page: council memory accept. Otherwise the next write " +
		"keeps it aside.",
	store.Torn:        "The next change of memory mends it.",
	store.LogLost:     "Put the session's folder back. What is remembered of it stays.",
	store.Interrupted: "Run: council memory rebuild",
	store.TooOpen:     "Close it to other users: chmod go= FILE",
	store.Leftover:    "It can be removed.",
	store.Kept:        "Take from it what you need, and remove it.",
}

func (c *command) tellFindings(w *workspace.Workspace, inMemory, inRecord []store.Found) (worst error) {
	for i, f := range slices.Concat(inMemory, inRecord) {
		in, cure := w.Store.Path(), cures[f.Kind]
		if i >= len(inMemory) { // an episode, a turn or the index
			in, cure = c.root.Path(), "To make it again from the sessions: council memory rebuild"
		}
		switch {
		case f.Kind == store.Unreadable:
			worst = &cli.Told{Err: recorder.ErrDamaged}
		case worst == nil && f.Kind != store.Kept:
			worst = &cli.Told{Err: cli.ErrFindings}
		}
		if !c.json {
			c.Say("%-11s %s\n            %s\n            %s", f.Kind, filepath.ToSlash(filepath.Join(in, f.Path)), f.Problem,
				cure)
		} else if err := c.JSON(f); err != nil {
			return err
		}
	}
	if len(inMemory)+len(inRecord) == 0 && !c.json {
		c.Say("All is well: every book is what its journal yields, every page the rendering of its book, and every\n" +
			"episode and turn what its session yields.")
	}
	return worst
}
