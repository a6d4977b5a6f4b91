package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
)

func costWords(s *rules.Session) string {
	if len(s.Charter().Models()) == 0 {
		return "none; no model was asked."
	}
	u := s.Spent()
	spent := terminal.Tell("spent", struct {
		council.Usage
		Waited time.Duration
	}{u, time.Duration(u.ElapsedMS) * time.Millisecond})
	return spent + "; " + moneyWords(minutes.Of(s.Events()).Usage().Cost)
}

// moneyWords returns the cost in US dollars with the date of the prices, unless no price is known.
func moneyWords(r *minutes.CostReport) string {
	if r == nil || !slices.ContainsFunc(r.Members, func(m minutes.MemberCost) bool { return m.Cost != nil }) {
		return "what that is in money is not known: docs/costs.md says how to tell council the prices"
	}
	return r.Words(func(m council.MemberID) string { return string(m) })
}

// besideLog is what a session took that no event of its log holds, because an answer came too late to count, waits for
// the session to go on, or was cut off, or its calls failed. The provider bills it all the same.
type besideLog struct {
	Late, Waiting paidSum // answered
	Failed        paidSum // asked, and not answered
	Cut           paidSum // asked and never answered: an estimate, since it may have been billed
}

type paidSum struct {
	Asks int
	council.Amount
}

// readBeside reads from the conversations of the members what a session took that its log does not hold.
func readBeside(root *recorder.Root, s *rules.Session) (besideLog, error) {
	c, meter := s.Charter(), budget.NewMeter(s.Charter())
	for _, e := range s.Events() {
		if r, ok := e.Answered(); ok {
			meter.Learn(e.Actor, r.Ask.Kind(), r.Usage)
		}
	}
	found, err := root.Unrecorded(s.ID(), s.Events())
	if err != nil {
		return besideLog{}, err
	}
	var b besideLog
	open := s.Ready().Asks
	for ask, u := range found.Paid {
		sum := &b.Late
		if slices.ContainsFunc(open, func(a council.Ask) bool { return a.ID == ask }) {
			sum = &b.Waiting
		}
		sum.add(c, ask, u, 1)
	}
	for ask, u := range found.Failed {
		b.Failed.add(c, ask, u, 1)
	}
	for ask, times := range found.Cut {
		if u := meter.Again(ask); u.Calls > 0 { // else no model was asked
			b.Cut.add(c, ask, u, times)
		}
	}
	return b, nil
}

func (s *paidSum) add(c *council.Charter, ask council.AskID, u council.Usage, times int) {
	one := c.Took(ask.Member(), u, false)
	if !one.Unknown && one.Tokens == 0 { // no model was asked
		return
	}
	for range times {
		s.Asks++
		s.Amount = s.Plus(one)
	}
}

// billLines returns the cost of a session so far: by its log, and what was paid for that is not in it.
func billLines(root *recorder.Root, s *rules.Session) []string {
	lines := []string{"Cost:   " + costWords(s)}
	b, err := readBeside(root, s)
	if err != nil {
		return append(lines, fmt.Sprintf("Also paid for: unknown: %v", err))
	}
	return append(lines, b.words()...)
}

func (b besideLog) words() []string {
	var lines []string
	for _, part := range []struct {
		sum             paidSum
		one, many, rest string
	}{
		{b.Late, "answer that came too late to count", "answers that came too late to count", ""},
		{b.Waiting, "answer that counts once the session goes on", "answers that count once the session goes on", ""},
		{b.Failed, "question whose calls failed", "questions whose calls failed", ""},
		{b.Cut, "question that was cut off", "questions that were cut off", ", by an estimate, if that was billed"},
	} {
		if n := part.sum.Asks; n > 0 {
			lines = append(lines, "Also paid for: "+plural.Things(n, part.one, part.many)+": "+part.sum.words()+part.rest)
		}
	}
	return lines
}

func (s paidSum) words() string {
	tokens := plural.Things(s.Tokens, "token")
	if s.Unknown {
		return tokens + ", cost unknown"
	}
	return tokens + ", " + s.Cost.String()
}

// dryRun prints what a session may take and cost. It asks nobody and writes nothing else.
func (a *app) dryRun(ctx context.Context, p *plan) error {
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
		row("", "cost", func(l budget.Load) string {
			if !l.Known {
				return "unknown"
			}
			return l.Cost.String()
		})
	}
	for i, m := range c.Members {
		name := terminal.Words(string(m.ID) + " (" + strings.TrimSuffix(m.Model.Provider+"/"+m.Model.Model, "/") + ")")
		tell(name, f.Least.Members[i], f.Usual.Members[i], f.Most.Members[i])
	}
	tell("all", f.Least.Total, f.Usual.Total, f.Most.Total)
	if err := a.Table(rows...); err != nil {
		return err
	}
	if f.Most.More {
		fmt.Fprintln(a.Out, "At most it takes more: only its first 20,000 questions are counted.")
	}
	if line := a.expect(ctx, c, f); line != "" {
		fmt.Fprintln(a.Out, line)
	}
	a.sayPage("notes of a forecast", forecastPage{c, f})
	return nil
}

// expect tells how many calls of a session wait for one another, and how long that takes: see duration.
func (a *app) expect(ctx context.Context, c *council.Charter, f budget.Forecast) string {
	least, usual, how := a.duration(ctx, c, f)
	if how == "" {
		return ""
	}
	return fmt.Sprintf("At least %d calls wait for one another (%s), usually %d (%s): %s.", f.Least.Steps,
		least.Round(time.Second), f.Usual.Steps, usual.Round(time.Second), how)
}

// duration returns how long a session takes at least and usually, and how that is known: calls take as long as the
// slowest of the models took on average, or as is assumed where one was never measured. It is zero where no model is
// asked.
func (a *app) duration(ctx context.Context, c *council.Charter, f budget.Forecast) (least, usual time.Duration,
	how string) {
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
		return 0, 0, ""
	case measured:
		return time.Duration(f.Least.Steps) * slowest, time.Duration(f.Usual.Steps) * slowest,
			fmt.Sprintf("calls of these models took up to %.1f s on average here", slowest.Seconds())
	}
	return time.Duration(f.Least.Seconds) * time.Second, time.Duration(f.Usual.Seconds) * time.Second,
		"a call is assumed to begin its reply after 2 s and to write 60 tokens a second"
}

// forecastPage is what a session may take, as the template "notes of a forecast" tells how that was reckoned.
type forecastPage struct {
	*council.Charter
	forecast budget.Forecast
}

// Dollars writes a price without its currency.
func (forecastPage) Dollars(perMillion float64) string { return dollars(perMillion) }

// reached says whether a cap suffices for the least, and for what is usual.
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
