// Package evaluation has the verb that compares a council with its members on questions whose answers are known.
package evaluation

import (
	"cmp"
	"encoding/json"
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
	simulate []string
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

With --simulate no model is asked: members of known accuracy show what one of them, several samples of it, a plurality
and whole sessions at the paces auto and thorough are worth. Its parts, of which all but the first may be left out:
  accuracy     how often a member is right, on average
  spread       how far a member's accuracy on a question lies from that at most (0.2, or less near 0.5 and 0.99)
  correlation  share of the questions on which all members err together, or none (0.2)
  attractor    share of the wrong answers that are one and the same, the others being any of five (1)
  samples      how often one member is asked for itself (5)
  repetition   share of the other questions on which its samples are all the same (0.5)
  conformity   how often a member that sees the others takes the answer of most of them, each time it is asked (0)
  correction   how often a wrong one that sees a right one becomes right, each time it is asked (0)
  members      an odd number (5); draws: questions (20000); sessions: of these, those of sessions (2000); seed (1)

With --recorded no model is asked either: panels of models are played on answers that they gave before, or forecasts are
scored. Each line of the CSV file is a question: its name, columns that are ignored, "answer", and a column for each
model, empty where its answer could not be read and ? where it was not asked. Forecasts have the columns question,
resolution, condition, model, before and after, in percent. All panels are played on the same questions.`,
		Example: `  council eval questions.jsonl --council general --model ollama/llama3.2 --limit 20
  council eval questions.jsonl --budget-usd 2
  council eval --simulate accuracy=0.7,correlation=0.4,attractor=0.8,conformity=0.5,correction=0.2
  council eval --recorded answers.csv --models gpt-4o,claude-3-5-sonnet,gemini-1.5-pro`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (o.simulate != nil || o.recorded != "") && len(args) > 0:
				return site.Refuse("--simulate and --recorded ask no questions of a data set", "Leave one of them out.")
			case o.recorded == "" && (len(o.panels) > 0 || o.json):
				return site.Refuse("--models and --json go with --recorded", "Name a CSV file of recorded answers with it.")
			case o.recorded != "":
				return playRecording(a, o)
			case o.simulate != nil:
				return simulate(a, o)
			case len(args) == 0:
				return cli.Usage(cmd, errors.New("eval needs a data set, or --simulate"))
			case o.limit < 0:
				return site.Refuse("--limit is not negative", "Leave it out to ask all questions.")
			}
			caps, err := o.budget.Caps()
			if err != nil {
				return site.Refuse("a budget is not negative", "Leave it out for no limit.")
			}
			out := cmp.Or(o.out, strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))+".eval")
			found, err := workspace.Evaluate(cmd.Context(), workspace.Options{World: a.World},
				trial.Request{File: args[0], Charter: o.charter,
					From: a.Settings["model"].From, Limit: o.limit, Caps: caps, Out: out, Say: a.Say, Trust: cli.TrustGate(a),
					Waits: func(c *council.Charter, w member.Wait) { fmt.Fprintln(a.Errs, terminal.Waiting(c, w, a.Now())) }})
			if found != nil {
				s := found.Summary
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
			if err != nil {
				return err
			}
			tellReport(a, out)
			if found.Stopped != "" {
				return fmt.Errorf("%w: %d of %d are answered; %s", evaluation.ErrStopped, len(found.Results), found.Wanted,
					found.Stopped)
			}
			return nil
		}}
	f := cmd.Flags()
	cli.CharterFlags(f, &o.charter, "config", "council", "model", "pace")
	f.StringVar(&o.out, "out", "",
		"folder of the sessions and reports (default: the data set's name with .eval; with --simulate none, and nothing "+
			"is written)")
	f.IntVar(&o.limit, "limit", 0, "ask at most so many questions, the first of the data set; 0 is all")
	f.StringArrayVar(&o.simulate, "simulate", nil,
		"ask nobody: simulate members, such as accuracy=0.7,correlation=0.2,conformity=0.5; give it again for other members")
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

func tellReport(a *cli.Env, folder string) {
	name := filepath.ToSlash(folder)
	a.Say("Report: %s/report.html, and %s/report.json for programs", name, name)
}

// simulate draws voters, prints the result of each policy, and writes a report to the folder of --out if there is one.
func simulate(a *cli.Env, o evalOptions) error {
	found := &evaluation.Simulation{}
	for _, text := range o.simulate {
		m, err := parseSimulation(text)
		if err != nil {
			return site.Refuse("--simulate: "+err.Error(),
				"Such as --simulate accuracy=0.7,correlation=0.4,attractor=0.8,conformity=0.5,members=5,seed=1")
		}
		found.Rows = append(found.Rows, m.Simulate())
	}
	for _, r := range found.Rows {
		a.Say("%s\nBy theory the majority of %d is right in %.1f %%, if all wrong answers are the same. RIGHT, WRONG and "+
			"UNDECIDED are\nin percent.\n", r.Voters, r.Members, 100*r.Theory)
		rows := [][]any{{"POLICY", "QUESTIONS", "RIGHT", "WRONG", "UNDECIDED", "ANSWERS"}}
		for _, p := range r.Policies {
			row := []any{p.Rule, p.Questions}
			for _, share := range p.Shares() {
				row = append(row, fmt.Sprintf("%.1f", 100*share))
			}
			rows = append(rows, append(row, fmt.Sprintf("%.1f", p.Answers)))
		}
		if err := a.Table(rows...); err != nil {
			return err
		}
		a.Say("")
	}
	if o.out == "" {
		return nil
	}
	err := trial.WriteSimulation(a.World, o.out, found)
	if err == nil {
		tellReport(a, o.out)
	}
	return err
}

func parseSimulation(text string) (m evaluation.Voters, err error) {
	parts := map[string]struct {
		least, most, usual float64
		is                 string
	}{
		"accuracy":    {0.01, 0.99, -1, "a number from 0.01 to 0.99"},
		"spread":      {0, 0.49, -1, "a number from 0 to 0.49"},
		"correlation": {0, 1, 0.2, "a number from 0 to 1"},
		"attractor":   {0, 1, 1, "a number from 0 to 1"},
		"samples":     {1, 99, 5, "a whole number from 1 to 99"},
		"repetition":  {0, 1, 0.5, "a number from 0 to 1"},
		"conformity":  {0, 1, 0, "a number from 0 to 1"},
		"correction":  {0, 1, 0, "a number from 0 to 1"},
		"members":     {3, 99, 5, "a whole odd number from 3 to 99"},
		"draws":       {1, 10_000_000, 20_000, "a whole number from 1 to 10000000"},
		"sessions":    {1, 1_000_000, 2_000, "a whole number from 1 to 1000000"},
		"seed":        {0, math.MaxUint32, 1, "a whole number below 2³²"},
	}
	given := map[string]float64{}
	for name, p := range parts {
		given[name] = p.usual
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		p, known := parts[name]
		if !known {
			return m, errors.New("there is no part " + site.Quote(name))
		}
		n, err := strconv.ParseFloat(value, 64)
		whole, odd := strings.HasPrefix(p.is, "a whole"), strings.Contains(p.is, "odd")
		if err != nil || !(n >= p.least && n <= p.most) || whole && n != math.Trunc(n) || odd && math.Mod(n, 2) == 0 {
			return m, fmt.Errorf("%s is %s, not %s", name, p.is, site.Quote(value))
		}
		given[name] = n
	}
	if given["accuracy"] < 0 {
		return m, errors.New("accuracy is missing")
	}
	if given["spread"] < 0 {
		given["spread"] = evaluation.SpreadOf(given["accuracy"])
	}
	doc, err := json.Marshal(given) // the parts have the names of the fields
	if err == nil {
		err = json.Unmarshal(doc, &m)
	}
	if m.Sessions = min(m.Draws, m.Sessions); m.Accuracy-m.Spread < 0.01 || m.Accuracy+m.Spread > 0.99 {
		return m, errors.New("accuracy with its spread leaves 0.01 to 0.99")
	}
	return m, err
}

func playRecording(a *cli.Env, o evalOptions) error {
	panels := council.Map(o.panels, func(names string) []string { return strings.Split(names, ",") })
	found, err := trial.PlayRecording(o.recorded, panels)
	if err != nil {
		return err
	}
	if o.json {
		a.JSON(&evaluation.Report{Format: evaluation.Format, Recorded: found})
		return nil
	}
	a.Say("%s, %s played. DECIDES, RIGHT (of these), OVER (the majority of three) and SPLIT are in percent.\n",
		plural.Things(found.Questions, "question"), plural.Thousands(found.Played))
	for _, p := range found.Panels {
		rows := [][]any{{"RULE", "QUESTIONS", "DECIDES", "RIGHT", "OVER", "ANSWERS"}}
		for _, r := range p.Rules {
			over := ""
			if r.Over != 0 {
				over = fmt.Sprintf("%+.1f", 100*r.Over)
			}
			rows = append(rows, []any{r.Rule, r.Decided, fmt.Sprintf("%.1f", 100*r.Coverage),
				fmt.Sprintf("%.1f", 100*r.Right), over, fmt.Sprintf("%.1f", r.Answers)})
		}
		if err := a.Table(rows...); err != nil {
			return err
		}
		a.Say("The errors correlate by %.2f: as good as %.1f independent votes. All were wrong on %.1f %%.\n", p.Correlation,
			p.Votes, 100*p.Missed)
	}
	if found.Forecasts == nil {
		return nil
	}
	rows := [][]any{{"CONDITION", "BEFORE", "AFTER", "CHANGE", "INTERVAL", "SPLIT", "DEBATED ONLY THERE"}}
	for _, f := range found.Forecasts {
		rows = append(rows, []any{f.Condition, fmt.Sprintf("%.3f", f.Before), fmt.Sprintf("%.3f", f.After),
			fmt.Sprintf("%+.3f", f.Change), fmt.Sprintf("%+.3f to %+.3f", f.Low, f.High), fmt.Sprintf("%.1f", 100*f.Split),
			fmt.Sprintf("%.3f", f.SplitOnly)})
	}
	return a.Table(rows...)
}
