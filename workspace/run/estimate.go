package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/workspace/settings"
	"github.com/council-engine/council/workspace/site"
)

// Estimate is the usual case of a forecast in short. The zero value is that of sessions that ask no model.
type Estimate struct {
	Calls, Waits int64 // waits are calls one after the other; 0: those of several sessions, which run at once
	Cost         council.Money
	Unpriced     bool     // the cost is more than that, and not known
	Hosts        []string // that see topic and documents; sorted, each once
}

func (p *Plan) estimate() (e Estimate, err error) {
	if e.Hosts = hostsOf(&p.Charter); len(e.Hosts) == 0 {
		return e, nil
	}
	c, systems, err := p.systemPrompts()
	if err != nil {
		return e, err
	}
	usual := budget.UsualForecast(c, systems)
	e.Calls, e.Waits = int64(usual.Total.Usage.Calls), usual.Steps
	e.Cost, e.Unpriced = usual.Total.Cost, !usual.Total.Known
	return e, nil
}

// hostsOf lists the servers and programs that see what members of a charter are given.
func hostsOf(c *council.Charter) (hosts []string) {
	for _, m := range c.Members {
		for _, one := range m.Model.PossibleModels() {
			k := one.Kind()
			address := cmp.Or(one.BaseURL, k.Address)
			server, err := url.Parse(address)
			switch {
			case k.NoModel:
			case k.Program:
				agent, _, _ := strings.Cut(one.Model, "/")
				name := cmp.Or(strings.Join(one.Command[:min(1, len(one.Command))], ""), agent)
				hosts = append(hosts, "the program "+hostile.Label(filepath.Base(name)))
			case member.Loopback(address):
				hosts = append(hosts, "this machine")
			case err == nil && server.Host != "":
				hosts = append(hosts, hostile.Label(server.Hostname()))
			default: // a model that a program brings
				hosts = append(hosts, hostile.Label(one.Provider))
			}
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// plus adds up the estimates of sessions.
func (e Estimate) plus(f Estimate) Estimate {
	return Estimate{Calls: e.Calls + f.Calls, Cost: e.Cost.Plus(f.Cost), Unpriced: e.Unpriced || f.Unpriced,
		Hosts: slices.Compact(slices.Sorted(slices.Values(slices.Concat(e.Hosts, f.Hosts))))}
}

// Words returns the estimate as a sentence, or "" where no model is asked.
func (e Estimate) Words() string {
	if len(e.Hosts) == 0 {
		return ""
	}
	words, price := "About "+plural.Things(e.Calls, "call"), e.Cost.String()
	if e.Waits > 0 {
		words += " in " + plural.Things(e.Waits, "wait")
	}
	switch {
	case e.Unpriced && e.Cost > 0:
		price = "more than " + price + " (not all prices are known)"
	case e.Unpriced:
		price = "price unknown"
	}
	return words + ", " + price + ", to " + site.And(e.Hosts) + "."
}

// bounded reports whether a budget bounds the tokens or the cost of a session, or a person has said that none does.
func (p *Plan) bounded(r *Request) bool {
	b := p.Charter.Budget
	return b.USD > 0 || b.Tokens > 0 || r.Caps.USDGiven || r.Caps.TokensGiven || r.Within
}

// pass returns nil for an estimate within the setting ask-above-usd of a record, and where the person consents to more.
// Otherwise the error has the code [site.OverBudget]. confirm is nil where no person can be asked.
func (e Estimate) pass(ctx context.Context, w *site.World, root string, confirm Confirm) error {
	limit, err := settings.AskAbove(w, root)
	if err != nil || limit == 0 || e.Cost <= limit {
		return err
	}
	dear := fmt.Sprintf("this would usually cost %s, which is above %s, and no budget is set", e.Cost, limit)
	if confirm != nil {
		yes, err := confirm(ctx, strings.ToUpper(dear[:1])+dear[1:]+". Begin?")
		if yes && err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return &site.Error{Code: site.OverBudget, Problem: dear + ", so nothing was begun",
		Hint: fmt.Sprintf("Set a budget, such as --budget-usd %.0f. To be asked from another amount on: council config set "+
			"--user ask-above-usd AMOUNT", math.Ceil(e.Cost.USD()))}
}

// passEstimate prints the estimate of all sessions that are not closed, and returns an error if that of the sessions
// without a budget needs a person's consent: a batch does not ask.
func (b *Batch) passEstimate(ctx context.Context, todo []*Batched) error {
	var all, unbounded Estimate
	for _, s := range todo {
		if s.Found.Outcome != nil {
			continue
		}
		all = all.plus(s.plan.Estimate)
		if r := s.Line.of(b.Request); !s.plan.bounded(&r) {
			unbounded = unbounded.plus(s.plan.Estimate)
		}
	}
	if words := all.Words(); words != "" && !b.Request.Quiet {
		b.World.Notice("%s", words)
	}
	return unbounded.pass(ctx, b.World, b.Root.Path(), nil)
}

// Forecast is how many calls, tokens and how much money a session takes at least, usually and at most.
type Forecast struct {
	budget.Forecast
	Charter *council.Charter
	Pace    Pace
	Auto    *budget.Case // usually, at the pace auto; nil where the charter has a pace
}

// Forecast forecasts the session of a plan. It asks no model.
func (p *Plan) Forecast(ctx context.Context, w *site.World) (Forecast, error) {
	c, systems, err := p.systemPrompts()
	if err != nil {
		return Forecast{}, err
	}
	f := Forecast{Forecast: budget.ForecastOf(c, systems), Charter: c, Pace: PaceOf(ctx, w, c)}
	if auto := *c; auto.Deliberation.Pace == "" {
		auto.Deliberation.Pace = council.PaceAuto
		charter.SetPace(&auto)
		f.Auto = new(budget.UsualForecast(&auto, systems))
	}
	return f, nil
}

// systemPrompts returns the charter as the session would open with it, and the bytes of each member's system prompt.
func (p *Plan) systemPrompts() (*council.Charter, []int64, error) {
	s, err := rules.Begin(p.ID, p.Topic, p.Charter)
	if err != nil {
		return nil, nil, err
	}
	c := s.Charter()
	first := map[council.MemberID]council.Ask{}
	for _, q := range s.Ready().Asks {
		first[q.Member] = q
	}
	systems := make([]int64, len(c.Members))
	for i, m := range c.Members {
		if _, asked := first[m.ID]; !asked { // a spare
			first[m.ID] = council.Ask{Kind: council.AskPosition, Member: m.ID, AsOf: 1}
		}
		system := prompt.NewConversation(prompt.Limits{}).Next(s.View(first[m.ID])).System
		systems[i] = int64(len(system.Shared) + len(system.Persona))
	}
	return c, systems, nil
}

// Pace is the average time of a call of the slowest model of a council; 0 where one was never measured, so that a time
// is assumed.
type Pace time.Duration

// PaceOf returns the pace of a council.
func PaceOf(ctx context.Context, w *site.World, c *council.Charter) (slowest Pace) {
	var known map[string]time.Duration
	_ = w.InRecord(c.Storage.RootDir, func(r *recorder.Root) error { // without a record nothing was measured
		known = history.Latencies(ctx, r)
		return nil
	})
	for _, m := range c.Members {
		if m.Model.Kind().NoModel {
			continue
		}
		took := Pace(known[m.Model.Name()])
		if took == 0 {
			return 0
		}
		slowest = max(slowest, took)
	}
	return slowest
}

// Duration returns how long a case takes.
func (p Pace) Duration(c budget.Case) time.Duration {
	if p > 0 {
		return time.Duration(c.Steps) * time.Duration(p)
	}
	return time.Duration(c.Seconds) * time.Second
}

// Words says how the pace is known.
func (p Pace) Words() string {
	if p > 0 {
		return fmt.Sprintf("calls of these models took up to %.1f s on average here", time.Duration(p).Seconds())
	}
	return "a call is assumed to begin its reply after 2 s and to write 60 tokens a second"
}
