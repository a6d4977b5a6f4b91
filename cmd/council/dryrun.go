package main

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
)

// dryRun prints what a session may take and cost. It asks nobody and writes nothing else.
func (a *app) dryRun(p plan) error {
	opening, err := rules.Open(p.id, p.topic, p.charter)
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
		row("", "cost", loadCost)
	}
	for i, m := range c.Members {
		name := terminal.Words(string(m.ID) + " (" + strings.TrimSuffix(m.Model.Provider+"/"+m.Model.Model, "/") + ")")
		tell(name, f.Least.Members[i], f.Usual.Members[i], f.Most.Members[i])
	}
	tell("all", f.Least.Total, f.Usual.Total, f.Most.Total)
	if err := a.Table(rows...); err != nil {
		return err
	}
	for _, line := range dryRunNotes(c, f) {
		fmt.Fprintln(a.Out, line)
	}
	return nil
}

func loadCost(l budget.Load) string {
	if !l.Known {
		return "unknown"
	}
	return l.Cost.String()
}

func dryRunNotes(c *council.Charter, f budget.Forecast) []string {
	var lines []string
	for i := range c.Prices {
		r := &c.Prices[i]
		on := "read on " + r.AsOf
		if r.Source != "" {
			on += " at " + terminal.Words(r.Source)
		}
		lines = append(lines, fmt.Sprintf("Price of %s: %s USD for a million new tokens, %s for the reply's, %s.",
			terminal.Words(r.Provider+"/"+r.Model), dollars(r.Input), dollars(r.Output), on))
	}
	if unpriced := c.Unpriced(); unpriced != "" {
		lines = append(lines, "The price of "+terminal.Words(unpriced)+" is not known: docs/costs.md says how to tell it.")
	}
	return append(lines, budgetNotes(c.Budget, f)...)
}

func budgetNotes(b council.Budget, f budget.Forecast) []string {
	var over []string
	reach := func(what string, least, usual bool) {
		switch {
		case !least:
			over = append(over, "The budget of "+what+" does not suffice even for the least; the session would be suspended.")
		case !usual:
			over = append(over, "The budget of "+what+
				" does not suffice for what is usual; the session would be suspended, and can be resumed with more.")
		default:
			over = append(over, "The budget of "+what+" suffices for what is usual.")
		}
	}
	if b.Tokens > 0 {
		reach(plural.Things(b.Tokens, "token"), f.Least.Total.Usage.Tokens() <= b.Tokens,
			f.Usual.Total.Usage.Tokens() <= b.Tokens)
	}
	if usd := council.Dollars(b.USD); usd > 0 {
		reach(usd.String(), f.Least.Total.Cost <= usd, f.Usual.Total.Cost <= usd)
	}
	return over
}

func dollars(perMillion float64) string {
	return strings.TrimSuffix(council.Dollars(perMillion).String(), " USD")
}
