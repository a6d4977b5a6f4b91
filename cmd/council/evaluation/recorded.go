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
		panels = append(panels, strings.Split(names, ","))
	}
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
