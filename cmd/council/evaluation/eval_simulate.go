package evaluation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/workspace/site"
	"github.com/council-engine/council/workspace/trial"
)

// The councils that are simulated where no size is named, and how often each is drawn.
var simulatedSizes = []int{3, 5, 9, 15}

const (
	usualDraws = 100_000
	maxMembers = 101
	maxDraws   = 10_000_000
)

// simulate draws voters, prints what each rule made of them, and writes it to the folder of --out if there is one.
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

// parseSimulation reads what --simulate says into the models to be drawn, the smallest council first.
func parseSimulation(text string) ([]evaluation.Voters, error) {
	m := evaluation.Voters{Draws: usualDraws, Seed: 1, Accuracy: -1, Spread: -1, Correlation: -1}
	share := func(to *float64, least, most float64) func(string) error {
		return func(s string) error {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil || !(f >= least && f <= most) {
				return fmt.Errorf("is a number from %g to %g, not %s", least, most, site.Quote(s))
			}
			*to = f
			return nil
		}
	}
	count := func(to *int, most int) func(string) error {
		return func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 || n > most {
				return fmt.Errorf("is a whole number from 1 to %d, not %s", most, site.Quote(s))
			}
			*to = n
			return nil
		}
	}
	parts := map[string]func(string) error{
		"accuracy": share(&m.Accuracy, 0.01, 0.99), "spread": share(&m.Spread, 0, 0.49), "correlation": share(&m.Correlation,
			0, 1),
		"members": count(&m.Members, maxMembers), "draws": count(&m.Draws, maxDraws),
		"seed": func(s string) (err error) {
			if m.Seed, err = strconv.ParseUint(s, 10, 32); err != nil {
				err = fmt.Errorf("is a whole number below 2³², not %s", site.Quote(s))
			}
			return err
		},
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		set := parts[name]
		if set == nil {
			return nil, errors.New("there is no part " + site.Quote(name))
		}
		if err := set(value); err != nil {
			return nil, fmt.Errorf("%s %w", name, err)
		}
	}
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
