// Package evaluation has the verb that compares a council with its members on questions whose answers are known.
package evaluation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
	"github.com/council-engine/council/workspace/trial"
)

type evalOptions struct {
	charter  seat.Choice
	out      string
	limit    int
	simulate string
	budget   cli.BudgetFlags
}

// NewEval returns the command eval.
func NewEval(a *cli.Env) *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{Use: "eval [DATASET.jsonl]",
		Short: "Measure on questions with known answers whether deliberating was worth it",
		Long: `
eval puts questions with known answers to a council and compares three ways to an answer: each member alone, the
plurality of what the members sealed before they talked, and what the council resolved. A data set has one JSON object
a line: {"id", "question", "answer"}, and if you like "choices" and "documents" (files beside the data set).

Every question is a session of its own, without memory, recorded in the folder of --out. Run the same command again to
go on where it stopped: what was answered is not asked again. report.html and report.json say what was found.

With --simulate no model is asked: voters of known accuracy show what each rule of counting is worth. Parts are
accuracy, spread, correlation, members, draws and seed; all but the first may be left out.`,
		Example: `  council eval questions.jsonl --council general --model ollama/llama3.2 --limit 20
  council eval questions.jsonl --budget-usd 2
  council eval --simulate accuracy=0.7,correlation=0.2,members=9`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.simulate != "" && len(args) > 0:
				return site.Refuse("--simulate asks no questions of a data set", "Leave one of them out.")
			case o.simulate != "":
				return simulate(a, o)
			case len(args) == 0:
				return cli.Usage(cmd, errors.New("eval needs a data set, or --simulate"))
			case o.limit < 0:
				return site.Refuse("--limit is not negative", "Leave it out to ask all questions.")
			}
			return evaluateFile(a, cmd.Context(), o, args[0])
		}}
	f := cmd.Flags()
	cli.CharterFlags(f, &o.charter, "config", "council", "model", "pace")
	f.StringVar(&o.out, "out", "",
		"folder of the sessions and reports (default: the data set's name with .eval; with --simulate none, and nothing "+
			"is written)")
	f.IntVar(&o.limit, "limit", 0, "ask at most so many questions, the first of the data set; 0 is all")
	f.StringVar(&o.simulate, "simulate", "", "ask nobody: simulate voters, such as accuracy=0.7,correlation=0.2,members=9")
	cli.TrustFlag(f, a)
	o.budget.AddFlags(f, "all questions together")
	return cmd
}

// evaluateFile puts the questions of a data set to a council, and prints what was found.
func evaluateFile(a *cli.Env, ctx context.Context, o evalOptions, file string) error {
	caps, err := o.budget.Caps()
	if err != nil {
		return site.Refuse("a budget is not negative", "Leave it out for no limit.")
	}
	out := cmp.Or(o.out, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))+".eval")
	found, err := trial.Run(a.World, ctx, trial.Request{File: file, Charter: o.charter, From: a.Settings["model"].From,
		Limit: o.limit, Caps: caps, Out: out, Say: a.Say,
		Trust: func(ctx context.Context, byFile []seat.Named, c *council.Charter) error {
			return cli.PassTrust(a, ctx, byFile, c, false)
		},
		Waits: func(c *council.Charter, w member.Wait) { fmt.Fprintln(a.Errs, terminal.Waiting(c, w, a.Now())) }})
	if found != nil {
		tellEvalSummary(a, found.Summary)
	}
	if err != nil {
		return err
	}
	tellReport(a, out)
	if found.Stopped != "" {
		return fmt.Errorf("%w: %d of %d are answered; %s", evaluation.ErrStopped, len(found.Results), found.Wanted,
			found.Stopped)
	}
	return nil
}

func tellReport(a *cli.Env, folder string) {
	name := filepath.ToSlash(folder)
	a.Say("Report: %s/report.html, and %s/report.json for programs", name, name)
}

func tellEvalSummary(a *cli.Env, s evaluation.Summary) {
	line := func(who string, x evaluation.Share, c evaluation.Cost) {
		a.Say("%-22s %d of %d right, %.1f %% (%.1f to %.1f), %s, %s", who, x.Right, x.Of,
			100*x.Accuracy, 100*x.Low, 100*x.High, plural.Things(c.Calls, "call"), plural.Things(c.Tokens, "token"))
	}
	fmt.Fprintln(a.Out)
	line("One member, on average:", s.Single, s.SingleCost)
	line("Plurality, sealed:", s.Plurality, s.PluralityCost)
	line("The council:", s.Council, s.CouncilCost)
	a.Say("Deliberation made %d answers of the plurality right and %d wrong.", s.ToCouncil.Better, s.ToCouncil.Worse)
}
