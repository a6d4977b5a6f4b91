package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// costRow is the usage and the cost of one member, or of all.
type costRow struct {
	Who markdown
	minutes.Usage
	Seconds float64
	Cost    string
}

// CostRows returns the usage and the cost of each member, then of all.
func (s *session) CostRows() []costRow {
	usage := s.Usage()
	var rows []costRow
	add := func(who markdown, u minutes.Usage, cost *float64) {
		rows = append(rows, costRow{who, u, float64(u.ElapsedMS) / 1000, usd(cost)})
	}
	var total *float64
	for i, m := range usage.Members {
		var cost *float64
		if usage.Cost != nil {
			cost, total = usage.Cost.Members[i].Cost, usage.Cost.Total
		}
		add(s.Name(m.Member), m.Usage, cost)
	}
	add("**All**", usage.Total, total)
	return rows
}

// usd formats an amount; nil is an unknown one.
func usd(amount *float64) string {
	if amount == nil {
		return "unknown"
	}
	return council.Dollars(*amount).String()
}

// Money returns a sentence with the cost of the session and the prices that it was reckoned by, or "" if no prices are
// known.
func (s *session) Money() markdown {
	r := s.Usage().Cost
	if r == nil {
		return ""
	}
	r.PricesAsOf = string(inline(r.PricesAsOf))
	return markdown("In money: " + r.Words(func(m council.MemberID) string { return string(s.Name(m)) }) + ".")
}
