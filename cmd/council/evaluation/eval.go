// Package evaluation has the verb that compares a council with its members on questions whose answers are known.
package evaluation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
	"github.com/council-engine/council/workspace/trial"
)

type evalOptions struct {
	charter  seat.Choice
	out      string
	limit    int
	simulate string
	recorded string
	panels   []string
	json     bool
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
accuracy, spread, correlation, members, draws and seed; all but the first may be left out.

With --recorded no model is asked either: panels of models are played on answers that they gave before, or forecasts are
scored. Each line of the CSV file is a question: its name, columns that are ignored, "answer", and a column for each
model, empty where its answer could not be read and ? where it was not asked. Forecasts have the columns question,
resolution, condition, model, before and after, in percent. All panels are played on the same questions.`,
		Example: `  council eval questions.jsonl --council general --model ollama/llama3.2 --limit 20
  council eval questions.jsonl --budget-usd 2
  council eval --simulate accuracy=0.7,correlation=0.2,members=9
  council eval --recorded answers.csv --models gpt-4o,claude-3-5-sonnet,gemini-1.5-pro`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (o.simulate != "" || o.recorded != "") && len(args) > 0:
				return site.Refuse("--simulate and --recorded ask no questions of a data set", "Leave one of them out.")
			case o.recorded == "" && (len(o.panels) > 0 || o.json):
				return site.Refuse("--models and --json go with --recorded", "Name a CSV file of recorded answers with it.")
			case o.recorded != "":
				return playRecording(a, o)
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
	f.StringVar(&o.recorded, "recorded", "", "ask nobody: play the answers of models in this CSV file")
	f.StringArrayVar(&o.panels, "models", nil,
		"with --recorded: a panel, its models in the order of their seats, such as a,b,c, each by its name or a beginning "+
			"of it; give it again for another panel")
	f.BoolVar(&o.json, "json", false, "with --recorded: one JSON object")
	cmd.MarkFlagsMutuallyExclusive("recorded", "simulate")
	cmd.MarkFlagsMutuallyExclusive("recorded", "out")
	cli.TrustFlag(f, a)
	o.budget.AddFlags(f, "all questions together")
	return cmd
}

// evaluateFile puts the questions of a data set to a council, and prints the result.
func evaluateFile(a *cli.Env, ctx context.Context, o evalOptions, file string) error {
	caps, err := o.budget.Caps()
	if err != nil {
		return site.Refuse("a budget is not negative", "Leave it out for no limit.")
	}
	out := cmp.Or(o.out, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))+".eval")
	found, err := workspace.Evaluate(ctx, workspace.Options{World: a.World}, trial.Request{File: file,
		Charter: o.charter, From: a.Settings["model"].From, Limit: o.limit, Caps: caps, Out: out, Say: a.Say,
		Trust: cli.TrustGate(a),
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

// The councils that are simulated where no size is named, and how often each is drawn.
var simulatedSizes = []int{3, 5, 9, 15}

// simulate draws voters, prints the result of each rule, and writes a report to the folder of --out if there is one.
func simulate(a *cli.Env, o evalOptions) error {
	models, err := parseSimulation(o.simulate)
	if err != nil {
		return site.Refuse("--simulate: "+err.Error(),
			"Such as --simulate accuracy=0.7,spread=0.2,correlation=0.2,members=9,draws=100000,seed=1")
	}
	found := evaluation.Simulate(models)
	for _, r := range found.Rows {
		a.Say("%d members, common cause %.0f %%: theory %.2f %%, one member one vote %.2f %%, optimal weights %.2f %%, "+
			"calibrated confidence %.2f %%, uninformative confidence %.2f %%",
			r.Members, 100*r.Correlation, 100*r.Theory, 100*r.Shares.Protocol, 100*r.Shares.Optimal, 100*r.Shares.Calibrated,
			100*r.Shares.Uninformative)
	}
	if o.out == "" {
		return nil
	}
	err = trial.WriteSimulation(a.World, o.out, found)
	if err == nil {
		tellReport(a, o.out)
	}
	return err
}

// parseSimulation reads --simulate into the models to be drawn, the smallest council first.
func parseSimulation(text string) ([]evaluation.Voters, error) {
	m := evaluation.Voters{Accuracy: -1, Spread: -1, Correlation: -1}
	members, draws, seed := 0.0, 100_000.0, 1.0
	parts := map[string]struct {
		to          *float64
		least, most float64
		is          string
	}{
		"accuracy":    {&m.Accuracy, 0.01, 0.99, "a number from 0.01 to 0.99"},
		"spread":      {&m.Spread, 0, 0.49, "a number from 0 to 0.49"},
		"correlation": {&m.Correlation, 0, 1, "a number from 0 to 1"},
		"members":     {&members, 1, 101, "a whole number from 1 to 101"},
		"draws":       {&draws, 1, 10_000_000, "a whole number from 1 to 10000000"},
		"seed":        {&seed, 0, math.MaxUint32, "a whole number below 2³²"},
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		p, known := parts[name]
		if !known {
			return nil, errors.New("there is no part " + site.Quote(name))
		}
		n, err := strconv.ParseFloat(value, 64)
		whole := strings.HasPrefix(p.is, "a whole")
		if err != nil || !(n >= p.least && n <= p.most) || whole && n != math.Trunc(n) {
			return nil, fmt.Errorf("%s is %s, not %s", name, p.is, site.Quote(value))
		}
		*p.to = n
	}
	m.Members, m.Draws, m.Seed = int(members), int(draws), uint64(seed)
	switch {
	case m.Accuracy < 0:
		return nil, errors.New("accuracy is missing")
	case m.Spread < 0:
		m.Spread = evaluation.SpreadOf(m.Accuracy)
	case m.Accuracy-m.Spread < 0.01 || m.Accuracy+m.Spread > 0.99:
		return nil, errors.New("accuracy with its spread leaves 0.01 to 0.99")
	}
	return simulatedModels(m), nil
}

// simulatedModels lists the models: all sizes where none is named, and without and with a common cause where none is.
func simulatedModels(m evaluation.Voters) []evaluation.Voters {
	members, causes := simulatedSizes, []float64{0, 0.2}
	if m.Members > 0 {
		members = []int{m.Members}
	}
	if m.Correlation >= 0 {
		causes = []float64{m.Correlation}
	}
	var all []evaluation.Voters
	for _, c := range causes {
		for _, n := range members {
			m.Members, m.Correlation = n, c
			all = append(all, m)
		}
	}
	return all
}
