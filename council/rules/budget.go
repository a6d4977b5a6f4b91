package rules

import (
	"fmt"

	"github.com/council-engine/council/council"
)

// ledger adds up what a session has spent. Asks that were open together took as long as the slowest of them.
type ledger struct {
	usage council.Usage // ElapsedMS is that of the groups already closed
	group int64         // slowest reply of the group under way, in milliseconds
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

// Spent is what the session has cost so far, over all suspensions and resumes. ElapsedMS is the time spent waiting
// for members, with asks that were open together counted once.
func (s *Session) Spent() council.Usage {
	spent := s.spent
	spent.closeGroup()
	spent.usage.Model = ""
	return spent.usage
}

// Budget is the cap in force: the charter's, or what a ruling made of it.
func (s *Session) Budget() council.Budget { return s.budget }

func (s *Session) takeUsage(e council.Event) {
	if r, ok := replyIn(e); ok {
		s.spent.add(r.Usage)
	}
}

// overBudget returns the fault that suspends a session whose budget is spent, or nil.
func (s *Session) overBudget() *council.Fault {
	b, spent := s.budget, s.Spent()
	switch {
	case b.Tokens > 0 && spent.Tokens() >= b.Tokens:
		return &council.Fault{Kind: council.FaultBudget, Message: fmt.Sprintf("%d of %d tokens are spent", spent.Tokens(), b.Tokens)}
	case b.Minutes > 0 && float64(spent.ElapsedMS) >= b.Minutes*60_000:
		return &council.Fault{Kind: council.FaultBudget, Message: fmt.Sprintf("%d of %g minutes are spent", spent.ElapsedMS/60_000, b.Minutes)}
	}
	return nil
}
