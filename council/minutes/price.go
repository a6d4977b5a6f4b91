package minutes

import "github.com/council-engine/council/council"

// Price is what the replies of a session took, also as a multiple of what asking one member five times would have cost.
type Price struct {
	Calls   int
	Cost    council.Money
	Known   bool // the cost is
	Seconds float64
	// The multiple, see [council.Charter.FiveAnswers]; 0: not known. It is one of costs, never of tokens: cached ones are
	// most of a long session's and cost a tenth or less.
	Times float64
}

// Price returns the price of the replies so far, or nil where no member has a model. Asks that were open together took
// as long as the slowest.
func (m *Minutes) Price() *Price {
	started := m.Started
	if !started.Charter.AsksModels() {
		return nil
	}
	all := m.Replies()
	p := &Price{Calls: all.total.Calls, Cost: all.total.money, Known: !all.total.unknown,
		Seconds: float64(all.waited+all.slowest) / 1000}
	if _, five, known := started.Charter.FiveAnswers(&started.Topic); p.Known && known && five > 0 {
		p.Times = float64(p.Cost) / float64(five)
	}
	return p
}
