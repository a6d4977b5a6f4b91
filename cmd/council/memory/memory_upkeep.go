package memory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/site"
)

func newMemoryRebuild(a *cli.Env) *cobra.Command {
	return memoryVerb(a, &cobra.Command{Use: "rebuild", Short: "Fold all closed sessions into memory again",
		Long: `
rebuild makes memory again from its journal and the logs of the sessions, in the order in which they closed, with every
change that a person made in between. When nothing is wrong every file stays as it is, byte for byte. What differed is
kept aside under a name that ends in the time.

Episodes, turns and the index are made again too.`,
	}, func(c *cli.Command, w *curator.Curator) error {
		report, err := w.Rebuild(c.Ctx)
		a.NoticeReport(report.Memory)
		if err != nil {
			return err
		}
		for _, b := range report.Memory.Wrote {
			a.Say("The book of %s was written again.", memories.BookOwner(b.Member))
		}
		if len(report.Memory.Wrote) == 0 {
			a.Say("Every book was as its journal yields it.")
		}
		a.Say("Sessions: %d. Turns: %d. The index was built again.", report.Sessions, report.Turns)
		return cli.TellUnread(a, report.Unread, "")
	})
}

func newMemoryCheck(a *cli.Env) *cobra.Command {
	return memoryVerb(a, &cobra.Command{Use: "check", Short: "Look through memory, and change nothing",
		Annotations: cli.JSONLines, Long: `
check folds the journal again and compares: it names files that cannot be read, books that are not what was
remembered, pages that somebody edited, sessions whose logs are missing, episodes and turns that are missing or
changed, and an index that is damaged or does not hold what they hold. It changes nothing.

Exit codes: 0 all is well · 3 something was found · 5 a file is damaged.`,
	}, func(c *cli.Command, w *curator.Curator) (worst error) {
		inMemory, inRecord, err := w.Check(c.Ctx)
		if err != nil {
			return err
		}
		for i, f := range slices.Concat(inMemory, inRecord) {
			in, cure := w.Store.Path(), cures[f.Kind]
			if i >= len(inMemory) { // an episode, a turn or the index
				in, cure = c.Root.Path(), "To make it again from the sessions: council memory rebuild"
			}
			switch {
			case f.Kind == store.Unreadable:
				worst = cli.ErrDamage
			case worst == nil && f.Kind != store.Kept:
				worst = cli.ErrFindings
			}
			c.Show(f, func() {
				c.Say("%-11s %s\n            %s\n            %s", f.Kind, site.PathLine(filepath.Join(in, f.Path)), f.Problem, cure)
			})
		}
		if len(inMemory)+len(inRecord) == 0 && !c.AsJSON {
			c.Say("All is well: every book is what its journal yields, every page the rendering of its book, and every\n" +
				"episode and turn what its session yields.")
		}
		return worst
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

// forgetNotes ends the help of the verbs that forget.
const forgetNotes = `The record of a session still holds: its chain, its votes and its anchors are verified as before, and council verify
says that something was forgotten. The name of a session is made of its topic and stays, with its folder, its files
and its anchors. Your own files are not touched; those that still hold the words are named.

Without --yes it only says what would go. It cannot be undone. If it is cut off, or a session is in use, the next
command finishes it; until then the words are kept in the file .forgetting of the record, which only you can read.`

func newMemoryForget(a *cli.Env) *cobra.Command {
	var phrases []string
	cmd := forgetVerb(a, &cobra.Command{Use: "forget [RECORD | TURN]...", Short: "Erase words everywhere, for good",
		Long: `
forget erases what somebody said, wherever it stands: in the logs and conversations of sessions, in what was rendered
from them, in memory, episodes, turns and the index. A record goes with all the words that it rests on, a turn with what
was said in it. By a phrase it finds the messages, documents and records that hold it, and erases each whole. record rm
does the same for all that was said in a session.

A session that loses words keeps its answers in the log. Its conversations lose all texts from the first erased event
on, those after the close that may repeat the words are removed, and so are files that repairs set aside.

` + forgetNotes,
		Example: `  council memory forget r-4k2m
  council memory forget --phrase "the customer Mary Miller" --yes`,
	}, &phrases, func(_ *recorder.Root, name string) (string, error) {
		if !strings.HasPrefix(name, "r-") && !strings.Contains(name, ".") {
			return "", site.Refuse(site.Quote(name)+" is neither a record nor a turn",
				"To forget a session: council record rm SESSION")
		}
		return name, nil
	})
	cmd.Flags().StringArrayVar(&phrases, "phrase", nil,
		"words, exactly as written: what holds them is erased (repeatable)")
	return cmd
}

// NewRm returns the command rm.
func NewRm(a *cli.Env) *cobra.Command {
	return forgetVerb(a, &cobra.Command{Use: "rm SESSION...", Short: "Erase all that was said in sessions, for good",
		Long: `
rm erases everything that was said in sessions, wherever it stands: in their logs and conversations, in what was
rendered from them, in memory, episodes, turns and the index.

` + forgetNotes,
		Example: `  council record rm 7f3k2a --yes`,
	}, new([]string), func(root *recorder.Root, name string) (string, error) {
		id, err := root.Find(name)
		return string(id), err
	})
}

// forgetVerb returns a command that forgets phrases and its arguments. Find returns the id of an argument.
func forgetVerb(a *cli.Env, cmd *cobra.Command, phrases *[]string,
	find func(*recorder.Root, string) (string, error)) *cobra.Command {
	var yes bool
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")
	return memoryVerb(a, cmd, func(c *cli.Command, w *curator.Curator) (err error) {
		if len(c.Args)+len(*phrases) == 0 {
			return site.Refuse("nothing was named to forget", "Name a record or a turn, or give words with --phrase.")
		}
		for i, name := range c.Args {
			if c.Args[i], err = find(c.Root, name); err != nil {
				return err
			}
		}
		o, err := w.PlanForgetting(c.Args, *phrases)
		switch {
		case err != nil:
			return err
		case o.Empty():
			a.Say("These words stand nowhere that council writes; there is nothing to forget.")
			return tellLeft(a, o.Staying())
		case !yes:
			cli.SayPage(a, "forgetting", o)
			return nil
		}
		done, err := memories.Forget(c.World, c.Ctx, w, o)
		if err != nil {
			return err
		}
		c.SayAll(done.Lines())
		return tellLeft(a, done.Left)
	})
}

// tellLeft names the places that are left as they are. If there are any, its error is [cli.ErrFindings].
func tellLeft(a *cli.Env, places []string) error {
	if len(places) == 0 {
		return nil
	}
	fmt.Fprintln(a.Errs, "The same words also stand in these places, which are left as they are. To erase words "+
		"wherever they\nstand, give them with --phrase; your own files are yours to change.")
	for _, place := range places {
		a.Warn("  %s", place)
	}
	return cli.ErrFindings
}
