package rules

import (
	"fmt"

	"github.com/council-engine/council/council"
)

// ledger adds up what a session has spent. Asks that were open together took as long as the slowest of them.
type ledger struct {
	usage   council.Usage // ElapsedMS is that of the groups already closed
	group   int64         // slowest reply of the group under way, in milliseconds
	cost    council.Money // of the replies whose cost is known
	unknown council.AskID // the first whose cost is not
}

func (l *ledger) add(u council.Usage) {
	l.group = max(l.group, u.ElapsedMS)
	u.ElapsedMS = 0
	l.usage = l.usage.Add(u)
}

func (l *ledger) closeGroup() {
	l.usage.ElapsedMS += l.group
	l.group = 0
}

// Spent returns what the session has taken so far, over all suspensions and resumes. ElapsedMS is the time spent
// waiting for members, with asks that were open together counted once.
func (s *Session) Spent() council.Usage {
	spent := s.spent
	spent.closeGroup()
	spent.usage.Model = ""
	return spent.usage
}

// Cost returns what the session has cost in money so far, over all suspensions and resumes. When the cost of some reply
// is not known, known is false and cost is that of the others.
func (s *Session) Cost() (cost council.Money, known bool) { return s.spent.cost, s.spent.unknown == "" }

// Budget returns the cap in force: the charter's, or that of the last ruling on it.
func (s *Session) Budget() council.Budget { return s.budget }

func (s *Session) takeUsage(e council.Event) {
	r, ok := e.Reply()
	if !ok {
		return
	}
	s.spent.add(r.Usage)
	cost, known := s.charter.Cost(e.Actor, r.Usage, r.Fault != nil)
	if !known && s.spent.unknown == "" {
		s.spent.unknown = r.Ask
	}
	s.spent.cost = s.spent.cost.Plus(cost)
}

// affordable reports why a session of the charter could not hold a budget, or "".
func affordable(c *council.Charter, b council.Budget) string {
	if b.Tokens < 0 || !(b.USD >= 0) || !(b.Minutes >= 0) {
		return "a budget is not negative"
	}
	if unpriced := c.Unpriced(); b.USD > 0 && unpriced != "" {
		return "a budget in US dollars needs the price of every member's model, and that of " + unpriced + " is not known"
	}
	return ""
}

// overBudget returns the fault that suspends a session whose budget is spent, or nil. What a reply of unknown cost took
// of a budget in US dollars might be all of it.
func (s *Session) overBudget() *council.Fault {
	b, spent := s.budget, s.Spent()
	fault := func(format string, args ...any) *council.Fault {
		return &council.Fault{Kind: council.FaultBudget, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case b.Tokens > 0 && spent.Tokens() >= b.Tokens:
		return fault("%d of %d tokens are spent", spent.Tokens(), b.Tokens)
	case b.USD > 0 && s.spent.unknown != "":
		return fault("what the reply to %s cost is not known, so a budget of %s cannot be held",
			s.spent.unknown, council.Dollars(b.USD))
	case b.USD > 0 && s.spent.cost >= council.Dollars(b.USD):
		return fault("%s of %s are spent", s.spent.cost, council.Dollars(b.USD))
	case b.Minutes > 0 && float64(spent.ElapsedMS) >= b.Minutes*60_000:
		return fault("%d of %g minutes are spent", spent.ElapsedMS/60_000, b.Minutes)
	}
	return nil
}
