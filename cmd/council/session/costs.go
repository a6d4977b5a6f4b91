package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/workspace/run"
)

// dryRun prints the forecast of a session. It asks no one and writes nothing else.
func dryRun(a *cli.Env, ctx context.Context, p *run.Plan) error {
	opening, err := rules.Open(p.ID, p.Topic, p.Charter)
	if err != nil {
		return err
	}
	s, err := rules.Replay(rules.Log(opening))
	if err != nil {
		return err
	}
	c := s.Charter()
	first := map[council.MemberID]council.Ask{}
	for _, q := range s.Ready().Asks {
		first[q.Member] = q
	}
	systems := make([]int64, len(c.Members))
	for i, m := range c.Members {
		system := prompt.NewConversation(prompt.Limits{}).Next(s.View(first[m.ID])).System
		systems[i] = int64(len(system.Shared) + len(system.Persona))
	}
	f := budget.ForecastOf(c, systems)

	fmt.Fprintln(a.Out, "Nobody was asked and nothing was written. A session of this council takes:")
	rows := [][]any{{"", "", "at least", "usually", "at most"}}
	tell := func(name string, least, usual, most budget.Load) {
		row := func(name, what string, say func(budget.Load) string) {
			rows = append(rows, []any{name, what, say(least), say(usual), say(most)})
		}
		row(name, "calls", func(l budget.Load) string { return plural.Thousands(l.Usage.Calls) })
		row("", "tokens", func(l budget.Load) string { return plural.Thousands(l.Usage.Tokens()) })
		row("", "cost", func(l budget.Load) string {
			if !l.Known {
				return "unknown"
			}
			return l.Cost.String()
		})
	}
	for i, m := range c.Members {
		name := hostile.Words(string(m.ID) + " (" + strings.TrimSuffix(m.Model.Provider+"/"+m.Model.Model, "/") + ")")
		tell(name, f.Least.Members[i], f.Usual.Members[i], f.Most.Members[i])
	}
	tell("all", f.Least.Total, f.Usual.Total, f.Most.Total)
	if err := a.Table(rows...); err != nil {
		return err
	}
	if f.Most.More {
		fmt.Fprintln(a.Out, "At most it takes more: only its first 20,000 questions are counted.")
	}
	if line := expect(a, ctx, c, f); line != "" {
		fmt.Fprintln(a.Out, line)
	}
	cli.SayPage(a, "notes of a forecast", forecastPage{c, f})
	return nil
}

// expect returns how many calls of a session wait for one another, and for how long; "" where no model is asked.
func expect(a *cli.Env, ctx context.Context, c *council.Charter, f budget.Forecast) string {
	duration, how := durations(a, ctx, c)
	if duration == nil {
		return ""
	}
	return fmt.Sprintf("At least %d calls wait for one another (%s), usually %d (%s): %s.", f.Least.Steps,
		duration(f.Least).Round(time.Second), f.Usual.Steps, duration(f.Usual).Round(time.Second), how)
}

// durations returns a function for the duration of a case, and how it is known: calls take as long as the slowest of
// the models took on average, or as is assumed where one was never measured. It is nil where no model is asked.
func durations(a *cli.Env, ctx context.Context, c *council.Charter) (of func(budget.Case) time.Duration, how string) {
	known := map[string]time.Duration{}
	if r, err := recorder.FindRoot(c.Storage.RootDir, a.Layer); err == nil {
		known = history.Latencies(ctx, r)
		r.Close()
	}
	var slowest time.Duration
	measured, models := true, 0
	for _, m := range c.Members {
		if m.Model.Kind().NoModel {
			continue
		}
		took := known[m.Model.Provider+"/"+m.Model.Model]
		slowest, measured, models = max(slowest, took), measured && took > 0, models+1
	}
	switch {
	case models == 0:
		return nil, ""
	case measured:
		return func(c budget.Case) time.Duration { return time.Duration(c.Steps) * slowest },
			fmt.Sprintf("calls of these models took up to %.1f s on average here", slowest.Seconds())
	}
	return func(c budget.Case) time.Duration { return time.Duration(c.Seconds) * time.Second },
		"a call is assumed to begin its reply after 2 s and to write 60 tokens a second"
}

// forecastPage is the data of the template "notes of a forecast".
type forecastPage struct {
	*council.Charter
	forecast budget.Forecast
}

// Dollars writes a price without its currency.
func (forecastPage) Dollars(perMillion float64) string { return dollars(perMillion) }

// reached reports whether a cap suffices for the least, and for the usual, cost.
type reached struct {
	Budget       string
	Least, Usual bool
}

// Reaches says how far the budget goes.
func (p forecastPage) Reaches() (all []reached) {
	least, usual := p.forecast.Least.Total, p.forecast.Usual.Total
	if most := p.Budget.Tokens; most > 0 {
		all = append(all, reached{plural.Things(most, "token"), least.Usage.Tokens() <= most, usual.Usage.Tokens() <= most})
	}
	if most := council.Dollars(p.Budget.USD); most > 0 {
		all = append(all, reached{most.String(), least.Cost <= most, usual.Cost <= most})
	}
	return all
}

func dollars(perMillion float64) string {
	return strings.TrimSuffix(council.Dollars(perMillion).String(), " USD")
}
