package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/run"
)

// PrintForecast prints the forecast of a session.
func PrintForecast(a *Env, f run.Forecast) error {
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
	for i, m := range f.Charter.Members {
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
	if p := f.Pace; p != nil {
		fmt.Fprintf(a.Out, "At least %d calls wait for one another (%s), usually %d (%s): %s.\n", f.Least.Steps,
			p.Duration(f.Least).Round(time.Second), f.Usual.Steps, p.Duration(f.Usual).Round(time.Second), p.Words())
	}
	if f.Auto != nil {
		fmt.Fprintf(a.Out, "With --pace auto it usually takes %s, %d of which wait for one another.\n",
			plural.Things(f.Auto.Total.Usage.Calls, "call"), f.Auto.Steps)
	}
	SayPage(a, "notes of a forecast", forecastPage{f.Charter, f})
	return nil
}

// forecastPage is the data of the template "notes of a forecast".
type forecastPage struct {
	*council.Charter
	forecast run.Forecast
}

// Dollars writes a price without its currency.
func (forecastPage) Dollars(perMillion float64) string {
	return strings.TrimSuffix(council.Dollars(perMillion).String(), " USD")
}

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
