package spending

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
)

// Words says what a session has cost so far.
func Words(s *rules.Session) string {
	c := s.Charter()
	if len(c.Models()) == 0 {
		return "none; no model was asked."
	}
	u := s.Spent()
	words := fmt.Sprintf("%s, %s%s, %.1f s waiting for members", plural.Things(u.Calls, "call"),
		plural.Things(u.Tokens(), "token"), kinds(u), float64(u.ElapsedMS)/1000)
	return words + "; " + money(s)
}

// kinds tells the tokens by kind, as far as there are any.
func kinds(u council.Usage) string {
	var parts []string
	for _, k := range []struct {
		n    int64
		name string
	}{
		{u.InputTokens, "new"}, {u.CachedTokens, "cached"}, {u.CacheWriteTokens, "written to the cache"},
		{u.OutputTokens, "output"}, {u.ReasoningTokens, "reasoning"},
	} {
		if k.n > 0 {
			parts = append(parts, plural.Thousands(k.n)+" "+k.name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// money tells the cost in US dollars and by which prices, or of which members it is not known.
func money(s *rules.Session) string {
	cost, known := s.Cost()
	by, billed := "", s.Spent().BilledCalls > 0
	switch day := council.PricesAsOf(s.Charter().Prices); {
	case day != "" && billed:
		by = " (as the provider said, or else by prices read on " + day + " or later)"
	case day != "":
		by = " (prices read on " + day + " or later)"
	case billed:
		by = " (as the provider said)"
	}
	if known {
		return cost.String() + by
	}
	var members []string
	for _, e := range s.Events() {
		if m := e.Actor; m != "" && unpriced(s.Charter(), e) && !slices.Contains(members, string(m)) {
			members = append(members, string(m))
		}
	}
	who := strings.Join(members, ", ")
	if len(members) == len(s.Charter().Members) {
		return "what that is in money is not known: docs/costs.md says how to tell council the prices"
	}
	return cost.String() + by + ", and what " + who + " took, of which the price is not known"
}

// unpriced reports whether an event records a reply of unknown cost.
func unpriced(c *council.Charter, e council.Event) bool {
	r, ok := e.Reply()
	if !ok {
		return false
	}
	_, known := c.Cost(e.Actor, r.Usage, r.Fault != nil)
	return !known
}
