// Package setup has the verbs that set up a workspace: councils, models and their keys, settings, policy.
package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// NewCouncils returns the command councils.
func NewCouncils(a *cli.Env) *cobra.Command {
	var root string
	places := func() seat.Places { return seat.PlacesOf(a.World, root) }
	list := cli.PlainVerb(a, &cobra.Command{Use: "list", Annotations: cli.JSONLines,
		Short: "Say what each council is for, who sits on it and what it writes"}, func(c *cli.Command) error {
		names, err := places().Names()
		for _, name := range names {
			l := places().Line(name)
			c.Show(l, func() { cli.SayPage(a, "council of a list", l) })
		}
		if err == nil && !c.AsJSON {
			cli.SayWords(a, "One in full: council councils show NAME.\n"+
				"To convene it: council convene --council NAME \"your topic\"\n"+
				"Skeletons of documents: %s.", strings.Join(templates.Skeletons(), ", "))
		}
		return err
	})
	show := cli.PlainVerb(a, &cobra.Command{Use: "show NAME", Annotations: cli.JSON("print the configuration itself"),
		Short: "Show a council: members, phases, rules and the sections of its document"}, func(v *cli.Command) error {
		found, err := places().Find(v.Args[0])
		if err != nil {
			return err
		}
		c, err := config.Parse(found.Doc)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", found.Of(), err)
		case v.AsJSON:
			_, err = a.Out.Write(hostile.JSON(found.Doc))
		default:
			charter.SetPace(&c)
			cli.SayPage(a, "council", CouncilPage{&c, found.Name, found.From(), seat.DocumentWords(&c)})
		}
		return err
	})
	check := cli.PlainVerb(a, &cobra.Command{Use: "check [FILE|NAME]",
		Short:       "Say everything that is wrong or doubtful in a council",
		Annotations: cli.JSON("one JSON object a line for each council, with its problems and findings"), Long: `
check reads a council and names all that is wrong in it at once, each with its place: fields that are not known,
missing or of the wrong kind. Of one that can be convened it names what is doubtful: phases that no session reaches,
votes that cannot carry, members that are told the same, sections of its skeleton that are missing. Without a name it
checks council.config.json and all councils of your own. Keys, models and budgets are looked at by council doctor.

Exit codes: 0 nothing was found · 1 a council cannot be convened · 3 something is doubtful.`,
	}, func(c *cli.Command) error {
		all, err := places().Named(c.Args)
		if err != nil {
			return err
		}
		if len(all) == 0 && !c.AsJSON {
			a.Say("There is no %s and no council of your own to check. To check a ready-made one, name it.", site.ConfigFile)
		}
		worst := map[doctor.Fitness]bool{}
		for _, one := range all {
			checked := doctor.CheckCouncil(one)
			worst[checked.Verdict] = true
			c.Show(checked, func() { cli.SayPage(a, "council that was checked", checked) })
		}
		switch {
		case worst[doctor.Wrong]:
			return cli.ExitCode(cli.ExitError)
		case worst[doctor.Doubtful]:
			return cli.ErrFindings
		}
		return nil
	})
	var from string
	var own bool
	fresh := &cobra.Command{Use: "new NAME", Short: "Write a council of your own to start from",
		Long: `
new copies a council to .council/councils/NAME.json, or with --user to councils/NAME.json of ~/.config/council, for
you to change. convene --council NAME finds it from then on. A file that exists is left alone.`,
		Example: `  council councils new queue-review --from architecture`,
		Args:    cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			p, name := places(), args[0]
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
			if made.Path != path {
				cli.SayWords(a, "In this workspace %s has its name, and is taken instead.", filepath.ToSlash(made.Path))
			} else if len(made.Hides) > 0 {
				cli.SayWords(a, "It is taken in place of %s.", strings.Join(made.Hides, " and "))
			}
			cli.SayWords(a, "Change it, then run: council councils check %s\nTo convene it: council convene --council %s "+
				"\"your topic\"", name, name)
			return nil
		}}
	f := fresh.Flags()
	f.StringVar(&from, "from", seat.Usual(), "council to start from")
	f.BoolVar(&own, "user", false, "for all workspaces: in your folder of configurations")
	cmd := cli.NewGroup(&cobra.Command{Use: "councils", Short: "List, show, make and check councils",
		Long: `
councils looks after the councils that convene --council takes by name: the ready-made ones, and your own in
.council/councils/NAME.json and, for all workspaces, in councils/NAME.json of ~/.config/council. The nearest of a name
wins.`,
	}, list, show, fresh, check)
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

// keepTrust records that the user trusts the copy of a council, unless the original was in the working folder.
func keepTrust(a *cli.Env, from seat.Found) {
	if c, err := config.Parse(from.Doc); err == nil && from.Own {
		cli.TrustGate(a).Keep(&c)
	}
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
				done, err := memories.Adopt(a.World, cmd.Context(), cmp.Or(root, site.Home()))
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

type doctorOptions struct {
	doctor.Case
	choice  seat.Choice
	context documents.Request
}

// NewDoctor returns the command doctor.
func NewDoctor(a *cli.Env) *cobra.Command {
	var o doctorOptions
	cmd := cli.PlainVerb(a, &cobra.Command{Use: "doctor",
		Short:       "Name what is wrong with a council before anything is paid for it",
		Annotations: cli.JSON("one JSON object a line: each model that was asked, each finding, and the end"), Long: `
doctor looks at a council as convene would seat it, and names each thing that would stop it, each that would cost, and
what is worth knowing: the configuration, the phases and votes, keys and addresses, the first prompt against budget and
context, the disk, locks, unfinished sessions and memory.

Then it asks each different model one short question, as a leader is asked, since any member may be elected: that
shows whether the server is reached, the key accepted, the model there and the form of replies kept, whether it
streams, and how fast it is. A question takes about 1,000 tokens; where a server refuses a part of it, it is put again
without. Lists of models are read too, which costs nothing. Servers of tools are started or reached, and asked which
tools they have; no tool is called. With --offline nothing is started, and no call is made at all.

Exit codes: 0 the council can convene, perhaps with warnings · 3 something would stop it, or, with --strict, cost.`,
		Example: `  council doctor
  council doctor --context docs/queue.md --diff main --offline
  council doctor --council security --model openai/gpt-5.4 --json`,
	}, func(c *cli.Command) error {
		err := o.readCase(c.Env, c.Ctx)
		if problems, ok := errors.AsType[config.Problems](err); ok {
			return printReport(c, doctor.Unreadable(problems))
		}
		if err == nil {
			o.context.Stdin = c.In
			o.Topic.Documents, o.Topic.Skipped, err = documents.Load(c.Ctx, o.context)
		}
		if err != nil {
			return err
		}
		ctx, release := c.Stoppable(c.Ctx)
		defer release()
		report, err := workspace.Examine(ctx, workspace.Options{World: c.World}, o.Case)
		if err != nil {
			return err
		}
		return printReport(c, report)
	})
	f := cmd.Flags()
	cli.CharterFlags(f, &o.choice, "config", "council", "model", "root")
	cli.ContextFlags(f, &o.context)
	f.BoolVar(&o.Offline, "offline", false, "make no call")
	f.BoolVar(&o.Strict, "strict", false, "exit with 3 also where something would cost money, time, votes or secrecy")
	cli.TrustFlag(f, a)
	return cmd
}

// printReport prints a report for people or programs. Its error is [cli.ErrFindings] where the report fails.
func printReport(c *cli.Command, r *doctor.Report) error {
	if c.AsJSON {
		for _, line := range r.Lines() {
			c.JSON(line)
		}
	} else {
		fmt.Fprint(c.Out, terminal.Tell("examination", r))
	}
	if r.Fails() {
		return cli.ErrFindings
	}
	return nil
}

// readCase reads the charter and gives members without a model one. Offline it asks no server.
func (o *doctorOptions) readCase(a *cli.Env, ctx context.Context) error {
	read, err := seat.ReadCouncilAtPace(a.World, o.choice)
	if err != nil {
		return err
	}
	o.Charter, o.From = read.Charter, read.From
	models, unnamed := o.choice.Models, len(o.choice.Models) == 0 && seat.MissesModel(&o.Charter)
	if o.Offline { // no server is asked which models it has
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		cancel()
	}
	o.Chosen, err = seat.PickModels(a.World, ctx, &o.Charter, seat.ModelChoice{Models: models,
		Because: a.Settings["model"].From, Rehearse: true, Confirm: cli.Confirmer(a)})
	if o.Offline && errors.Is(err, context.Canceled) {
		return site.Refuse("with --offline no server is asked which models it has",
			"Name one after a slash: --model "+strings.TrimSuffix(models[0], "/")+"/NAME")
	}
	if o.Offline && unnamed && slices.ContainsFunc(o.Charter.Members,
		func(m council.Member) bool { return m.Model.Kind().Rehearse }) {
		o.Chosen = "Members: no key is set, and with --offline no Ollama server was looked for."
	}
	if err == nil && !o.Offline {
		err = cli.TrustGate(a).Pass(ctx, read.ByFile, &o.Charter)
	}
	return err
}
