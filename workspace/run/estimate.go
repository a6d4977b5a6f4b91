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

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
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

// estimate returns the estimate of the session of a plan.
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
	hosts := slices.Concat(e.Hosts, f.Hosts)
	slices.Sort(hosts)
	return Estimate{Calls: e.Calls + f.Calls, Cost: e.Cost.Plus(f.Cost), Unpriced: e.Unpriced || f.Unpriced,
		Hosts: slices.Compact(hosts)}
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
		b.World.Notices().Print("%s", words)
	}
	return unbounded.pass(ctx, b.World, b.Root.Path(), nil)
}
