package story

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/price"
	"github.com/council-engine/council/recorder/render/artifact"
)

// cost lists what members' replies cost in money; nil where the charter knows no prices. A member that was not asked
// cost nothing.
func (s *Spending) cost(seats []council.MemberID) *artifact.CostReport {
	if len(s.charter.Prices) == 0 && s.billed == 0 {
		return nil
	}
	r := &artifact.CostReport{Currency: "USD", PricesAsOf: price.AsOf(s.charter.Prices), Billed: s.billed, Members: []artifact.MemberCost{}}
	var sum cost
	for _, m := range seats {
		c := s.costs[m]
		one := artifact.MemberCost{Member: m}
		if !c.unknown {
			one.Cost = new(c.money.USD())
		}
		r.Members = append(r.Members, one)
		sum = cost{sum.money.Plus(c.money), sum.unknown || c.unknown}
	}
	if !sum.unknown {
		r.Total = new(sum.money.USD())
	}
	return r
}

// USD is an amount for people; nil is one that nobody knows.
func USD(amount *float64) string {
	if amount == nil {
		return "unknown"
	}
	return price.Dollars(*amount).String()
}

// CostWords says in a sentence what a session cost in money and by which prices; empty where no prices are known. name
// is what a member is called.
func CostWords(r *artifact.CostReport, name func(council.MemberID) string) string {
	if r == nil {
		return ""
	}
	by := ""
	switch {
	case r.PricesAsOf != "" && r.Billed > 0:
		by = ", as the provider said, or else by prices that were read on " + r.PricesAsOf + " or later"
	case r.PricesAsOf != "":
		by = ", by prices that were read on " + r.PricesAsOf + " or later"
	case r.Billed > 0:
		by = ", as the provider said"
	}
	if r.Total != nil {
		return "In money: " + USD(r.Total) + by + "."
	}
	var unknown []string
	var known price.Money
	for _, m := range r.Members {
		if m.Cost == nil {
			unknown = append(unknown, name(m.Member))
		} else {
			known = known.Plus(price.Dollars(*m.Cost))
		}
	}
	return fmt.Sprintf("In money: %s%s, and what %s took, of which the cost is not known.", known, by, strings.Join(unknown, ", "))
}
