package evaluation

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/trial"
)

// playRecording plays panels on recorded answers, and prints the result.
func playRecording(a *cli.Env, o evalOptions) error {
	var panels [][]string
	for _, names := range o.panels {
		panels = append(panels, strings.Split(strings.ReplaceAll(names, " ", ""), ","))
	}
	found, err := trial.PlayRecording(o.recorded, panels)
	switch {
	case err != nil:
		return err
	case o.json:
		a.JSON(&evaluation.Report{Format: evaluation.Format, Recorded: found})
		return nil
	case len(found.Forecasts) > 0:
		return tellForecasts(a, found)
	}
	return tellPanels(a, found)
}

// tellPanels prints tables of the models alone, of their panels, of risk and coverage, and of the pace auto.
func tellPanels(a *cli.Env, found *evaluation.Recorded) error {
	cli.SayWords(a,
		"%s, %s of them put to all models of the panels. In percent; RIGHT is of what the column before it decided.",
		plural.Things(found.Questions, "question"), plural.Thousands(found.Played))
	models := [][]any{{"PANEL", "MODELS AND HOW OFTEN EACH WAS RIGHT ALONE"}}
	counts := [][]any{{"PANEL", "BEST", "LEANING", "LOT", "MAJORITY", "RIGHT", "SPLIT", "RIGHT", "UNANIMOUS", "RIGHT",
		"ALL MISS", "VOTES"}}
	risks := [][]any{{"PANEL", "AGREE", "COVERAGE", "RISK"}}
	autos := [][]any{{"PANEL", "SPARES", "DECIDES", "RIGHT", "OVER MAJORITY", "ANSWERS", "BY SPARES", "RIGHT"}}
	for i, p := range found.Panels {
		var names []string
		best := 0.0
		for j, name := range p.Models {
			names = append(names, name+" "+percent(p.Alone[j].Accuracy))
			best = max(best, p.Alone[j].Accuracy)
		}
		models = append(models, []any{i + 1, strings.Join(names, ", ")})
		row := []any{i + 1, percent(best), percent(p.Leaning.Accuracy), percent(p.Lot)}
		for _, d := range []evaluation.Decided{p.Agreement[0], p.Split, p.Agreement[len(p.Agreement)-1]} {
			row = append(row, percent(d.Coverage), right(d))
		}
		votes := "-" // without bound
		if p.Votes > 0 {
			votes = fmt.Sprintf("%.1f of %d", p.Votes, len(p.Models))
		}
		counts = append(counts, append(row, percent(p.Missed), votes))
		for _, d := range p.Agreement {
			if len(p.Agreement) > 2 && d.Of > 0 { // else the columns above have it, or there is none
				risks = append(risks, []any{i + 1, d.Seats, percent(d.Coverage), percent(1 - d.Accuracy)})
			}
		}
		for _, auto := range p.Auto {
			row := []any{i + 1, auto.Spares, percent(auto.Coverage), right(auto.Decided), fmt.Sprintf("%+.1f", 100*auto.Over),
				fmt.Sprintf("%.1f", auto.Answers)}
			if auto.Spares > 0 {
				row = append(row, plural.Thousands(auto.BySpares.Of), right(auto.BySpares))
			}
			autos = append(autos, row)
		}
	}
	for _, rows := range [][][]any{models, counts, risks, autos} {
		if len(rows) == 1 {
			continue
		}
		a.Say("")
		if err := a.Table(rows...); err != nil {
			return err
		}
	}
	return nil
}

// tellForecasts prints the scores of forecasts.
func tellForecasts(a *cli.Env, found *evaluation.Recorded) error {
	cli.SayWords(a,
		"%s. Brier scores of the mean forecast: less is better. INTERVAL: 95 %% of the change, by bootstrap over "+
			"questions.\nSPLIT: percent of the questions with forecasts over 20 points apart, and the score if only these are "+
			"debated.\n", plural.Things(found.Questions, "question"))
	rows := [][]any{{"CONDITION", "BEST ALONE", "BEFORE", "AFTER", "CHANGE", "INTERVAL", "SPLIT", "SCORE"}}
	for _, f := range found.Forecasts {
		alone := "-"
		if f.Model != "" {
			alone = fmt.Sprintf("%.3f", f.Alone)
		}
		rows = append(rows, []any{f.Condition, alone, fmt.Sprintf("%.3f", f.Before), fmt.Sprintf("%.3f", f.After),
			fmt.Sprintf("%+.3f", f.Change), fmt.Sprintf("%+.3f to %+.3f", f.Low, f.High), percent(f.Split),
			fmt.Sprintf("%.3f", f.SplitOnly)})
	}
	return a.Table(rows...)
}

func percent(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// right returns how often a rule was right, or "-" if it never decided.
func right(d evaluation.Decided) string {
	if d.Of == 0 {
		return "-"
	}
	return percent(d.Accuracy)
}
