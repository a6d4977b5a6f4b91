package rules

import (
	"fmt"

	"github.com/council-engine/council/council"
)

// spending adds up a session's usage and cost against its budget. Asks that were open together took as long as the
// slowest.
type spending struct {
	budget  council.Budget // the charter's, or that of a ruling
	usage   council.Usage  // ElapsedMS is that of the groups already closed
	slowest int64          // reply of the group under way, in milliseconds
	cost    council.Money  // of the replies whose cost is known
	unknown council.AskID  // the first whose cost is not
}

func (l *spending) add(c *council.Charter, e council.Event) {
	r, ok := e.Reply()
	if !ok {
		return
	}
	cost, known := c.Cost(e.Actor, r.Usage, r.Fault != nil)
	if !known && l.unknown == "" {
		l.unknown = r.Ask
	}
	l.cost = l.cost.Plus(cost)
	l.slowest = max(l.slowest, r.Usage.ElapsedMS)
	r.Usage.ElapsedMS = 0
	l.usage = l.usage.Add(r.Usage)
}

func (l *spending) closeGroup() {
	l.usage.ElapsedMS += l.slowest
	l.slowest = 0
}

// total returns the usage with the group under way.
func (l spending) total() council.Usage {
	l.closeGroup()
	l.usage.Model = ""
	return l.usage
}

// suspension returns the suspension of a session whose budget is spent, or nil. A reply of unknown cost might have
// taken all of a budget in US dollars.
func (l *spending) suspension() council.Payload {
	b, spent := l.budget, l.total()
	suspend := func(format string, args ...any) council.Payload {
		return council.SessionSuspended{
			Fault: council.Fault{Kind: council.FaultBudget, Message: fmt.Sprintf(format, args...)}}
	}
	switch {
	case b.Tokens > 0 && spent.Tokens() >= b.Tokens:
		return suspend("%d of %d tokens are spent", spent.Tokens(), b.Tokens)
	case b.USD > 0 && l.unknown != "":
		return suspend("what the reply to %s cost is not known, so a budget of %s cannot be held",
			l.unknown, council.Dollars(b.USD))
	case b.USD > 0 && l.cost >= council.Dollars(b.USD):
		return suspend("%s of %s are spent", l.cost, council.Dollars(b.USD))
	case b.Minutes > 0 && float64(spent.ElapsedMS) >= b.Minutes*60_000:
		return suspend("%s of %s are spent", council.FormatMinutes(float64(spent.ElapsedMS)/60_000),
			council.FormatMinutes(b.Minutes))
	}
	return nil
}
