package setup

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

func newCouncilsNew(a *cli.Env, places func() seat.Places) *cobra.Command {
	var from string
	var own bool
	cmd := &cobra.Command{Use: "new NAME", Short: "Write a council of your own to start from",
		Long: `
new copies a council to .council/councils/NAME.json, or with --user to councils/NAME.json of ~/.config/council, for
you to change. convene --council NAME finds it from then on. A file that exists is left alone.`,
		Example: `  council councils new queue-review --from architecture`,
		Args:    cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			return makeCouncil(a, places(), args[0], from, own)
		}}
	f := cmd.Flags()
	f.StringVar(&from, "from", seat.Usual(), "council to start from")
	f.BoolVar(&own, "user", false, "for all workspaces: in your folder of configurations")
	return cmd
}

func makeCouncil(a *cli.Env, p seat.Places, name, from string, own bool) error {
	path, origin, err := p.Make(a.World, name, from, own)
	if err != nil {
		return err
	}
	keepTrust(a, origin)
	made, err := p.Find(name)
	if err != nil {
		return err
	}
	cli.SayWords(a, "Wrote %s from the %s.", filepath.ToSlash(path), origin.From())
	switch {
	case made.Path != path:
		cli.SayWords(a, "In this workspace %s has its name, and is taken instead.", filepath.ToSlash(made.Path))
	case len(made.Hides) > 0:
		cli.SayWords(a, "It is taken in place of %s.", strings.Join(made.Hides, " and "))
	}
	cli.SayWords(a,
		"Change it, then run: council councils check %s\nTo convene it: council convene --council %s \"your topic\"",
		name, name)
	return nil
}

// adopt takes over the record of roundtable in a folder, and prints how much that was.
func adopt(a *cli.Env, ctx context.Context, folder string) error {
	done, err := memories.Adopt(a.World, ctx, folder)
	if err != nil {
		return err
	}
	a.Say("Took over %s with %s, and %s that memory did not have. The files of roundtable are kept in %s.",
		plural.Things(done.Sessions, "session"), plural.Things(done.Turns, "turn"), plural.Things(done.Records, "record"),
		done.Kept)
	a.Say("council sessions lists them; council recall and council memory list find what was said and remembered.")
	if done.Credentials {
		a.Say("Its credentials are there too: council login moves them to where keys are kept.")
	}
	return cli.TellUnread(a, done.Unread, "It is kept as it was, and not taken over.")
}

// NewInit returns the command init.
func NewInit(a *cli.Env) *cobra.Command {
	var name, commit, root string
	var takeOver bool
	cmd := &cobra.Command{Use: "init", Short: "Write a council.config.json to start from",
		Long: `
init copies a council to council.config.json in this folder, for you to change: members, models, phases, rules.
council convene reads it from then on. An existing file is left alone. Below a folder that has a
configuration or a record it writes to that folder, unless this one has a .council of its own.

With --adopt it takes over the folder of a roundtable instead: its sessions are listed, shown and found by
recall, and what its council and members remembered is remembered, with its dates. Its files are kept as
they are, in .council/roundtable.`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error {
			if takeOver {
				return adopt(a, cmd.Context(), cmp.Or(root, site.Home()))
			}
			found, err := seat.PlacesOf(a.World, "").Find(name)
			choices := []string{recorder.CommitAll, recorder.CommitMinutes}
			if err := cmp.Or(site.KnownWord("choice for --commit", commit, choices), err); err != nil {
				return err
			}
			path, doc := site.Config(), found.Doc
			if found.Path == "" {
				doc = seat.Commented(doc)
			}
			if err := atomicfile.CreateFile(path, doc); err != nil {
				return err
			}
			keepTrust(a, found)
			cli.SayWords(a, "Wrote %s from the %s.\nChange it, then run: council convene \"your topic\"", filepath.ToSlash(path),
				found.From())
			if !cmd.Flags().Changed("commit") {
				return nil
			}
			return a.InNewRecord(site.Home(), func(root *recorder.Root) error { return root.Commit(commit) })
		}}
	f := cmd.Flags()
	f.StringVar(&commit, "commit", recorder.CommitAll,
		"what git keeps of the record, by its .gitignore: all, or minutes: transcripts and documents")
	f.StringVar(&name, "council", seat.Usual(), "council to copy, ready-made or your own; council councils list has them")
	f.BoolVar(&takeOver, "adopt", false, "take over the record of roundtable that is in the folder of the record")
	f.StringVar(&root, "root", "",
		"with --adopt: folder of the record (default: what the configuration says, else .council)")
	cmd.MarkFlagsMutuallyExclusive("adopt", "council")
	return cmd
}
