// Package setup has the verbs that set up a workspace: councils, models and their keys, settings, policy.
package setup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// NewCouncils returns the command councils.
func NewCouncils(a *cli.Env) *cobra.Command {
	var root string
	places := func() seat.Places { return seat.PlacesOf(a.World, root) }
	cmd := cli.NewGroup(&cobra.Command{Use: "councils", Short: "List, show, make and check councils",
		Long: `
councils looks after the councils that convene --council takes by name: the ready-made ones, and your own in
.council/councils/NAME.json and, for all workspaces, in councils/NAME.json of ~/.config/council. The nearest of a name
wins.`,
	},
		newCouncilsList(a, places), newCouncilsShow(a, places), newCouncilsNew(a, places), newCouncilsCheck(a, places))
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

// keepTrust records that the user trusts the copy of a council, unless the original was in the working folder.
func keepTrust(a *cli.Env, from seat.Found) {
	if c, err := config.Parse(from.Doc); err == nil && from.Own {
		cli.TrustGate(a).Keep(&c)
	}
}

func newCouncilsList(a *cli.Env, places func() seat.Places) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "Say what each council is for, who sits on it and what it writes",
		Args: cli.AsUsed, RunE: func(*cobra.Command, []string) error {
			names, err := places().Names()
			for _, name := range names {
				l := places().Line(name)
				if asJSON {
					a.JSON(l)
				} else {
					cli.SayPage(a, "council of a list", l)
				}
			}
			if err == nil && !asJSON {
				cli.SayWords(a, "One in full: council councils show NAME.\n"+
					"To convene it: council convene --council NAME \"your topic\"\n"+
					"Skeletons of documents: %s.", strings.Join(templates.Skeletons(), ", "))
			}
			return err
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func newCouncilsShow(a *cli.Env, places func() seat.Places) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{Use: "show NAME",
		Short: "Show a council: members, phases, rules and the sections of its document",
		Args:  cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			found, err := places().Find(args[0])
			if err != nil {
				return err
			}
			c, err := config.Parse(found.Doc)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", found.Of(), err)
			case raw:
				_, err = a.Out.Write(hostile.JSON(found.Doc))
			default:
				charter.SetPace(&c)
				cli.SayPage(a, "council", CouncilPage{&c, found.Name, found.From(), seat.DocumentWords(&c)})
			}
			return err
		}}
	cmd.Flags().BoolVar(&raw, "json", false, "print the configuration itself")
	return cmd
}

// CouncilPage is a council as the template "council" shows it.
type CouncilPage struct {
	*council.Charter
	Name, From, Document string
}

// Weighs lists a member's weights, the greatest first.
func (CouncilPage) Weighs(of map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(of),
		func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), strings.Compare(a, b)) })
	for i, name := range names {
		names[i] += " " + strconv.FormatFloat(of[name], 'g', -1, 64)
	}
	return strings.Join(names, ", ")
}

// Needed returns how many of the seats decide a choice at the pace auto.
func (p CouncilPage) Needed(g council.Governance) int {
	seats := len(p.Seats())
	return g.Rule(seats).Needed(seats)
}

// Carries describes the majority for a motion.
func (p CouncilPage) Carries(g council.Governance) string {
	rule := g.Rule(len(p.Members))
	words := fmt.Sprintf("a motion needs %s, with %d valid ballots", rule.Words(), rule.Required())
	if g.RequireSeconding {
		words += " and a second"
	}
	return words
}

func newCouncilsCheck(a *cli.Env, places func() seat.Places) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "check [FILE|NAME]", Short: "Say everything that is wrong or doubtful in a council",
		Long: `
check reads a council and names all that is wrong in it at once, each with its place: fields that are not known,
missing or of the wrong kind. Of one that can be convened it names what is doubtful: phases that no session reaches,
votes that cannot carry, members that are told the same, sections of its skeleton that are missing. Without a name it
checks council.config.json and all councils of your own. Keys, models and budgets are looked at by council doctor.

Exit codes: 0 nothing was found · 1 a council cannot be convened · 3 something is doubtful.`,
		Args: cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			all, err := places().Named(args)
			if err != nil {
				return err
			}
			if len(all) == 0 && !asJSON {
				a.Say("There is no %s and no council of your own to check. To check a ready-made one, name it.", site.ConfigFile)
			}
			return CheckCouncils(a, all, asJSON)
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line for each council, with its problems and findings")
	return cmd
}

// CheckCouncils prints which councils can be convened.
func CheckCouncils(a *cli.Env, all []seat.Candidate, asJSON bool) error {
	worst := map[doctor.Fitness]bool{}
	for _, one := range all {
		c := doctor.CheckCouncil(one)
		worst[c.Verdict] = true
		if asJSON {
			a.JSON(c)
		} else {
			cli.SayPage(a, "council that was checked", c)
		}
	}
	switch {
	case worst[doctor.Wrong]:
		return cli.ExitCode(cli.ExitError)
	case worst[doctor.Doubtful]:
		return cli.ErrFindings
	}
	return nil
}

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
