package evaluating

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/council"
)

// caps cap what a whole evaluation may spend, over all its runs.
type caps struct {
	tokens int64
	usd    float64
	time   time.Duration
}

func (c *caps) flags(f *pflag.FlagSet) {
	f.Int64Var(&c.tokens, "budget-tokens", 0, "at most so many tokens for all questions together; 0 is no limit")
	f.Float64Var(&c.usd, "budget-usd", 0, "at most so many US dollars for all questions together, by known prices; 0 is no limit")
	f.DurationVar(&c.time, "budget-time", 0, "at most so long waiting for members, for all questions together; 0 is no limit")
}

func (c *caps) check() error {
	if c.tokens < 0 || !(c.usd >= 0) || c.time < 0 {
		return desk.Refuse("a budget is not negative", "Leave it out for no limit.")
	}
	return nil
}

// spent is what all questions together have taken.
type spent struct {
	tokens  int64
	cost    council.Money
	unknown bool // a reply's cost is not known: it might be any
	ms      int64
}

// session is what is read of a session's spending.
type session interface {
	Spent() council.Usage
	Cost() (council.Money, bool)
}

// add takes in what a session took by its log and beside it.
func (s *spent) add(one session, beside spending.Beside) {
	u := one.Spent()
	cost, known := one.Cost()
	s.tokens += u.Tokens()
	s.ms += u.ElapsedMS
	s.cost = s.cost.Plus(cost)
	s.unknown = s.unknown || !known
	for _, sum := range []spending.Sum{beside.Late, beside.Waiting, beside.Cut} {
		s.tokens += sum.Tokens
		s.cost = s.cost.Plus(sum.Cost)
		s.unknown = s.unknown || sum.Unknown
	}
}

// rest is the budget of the next session: what the charter allows one, and no more than is left of the caps. over says in
// words which cap is spent, or is empty.
func (c *caps) rest(own council.Budget, s spent) (b council.Budget, over string) {
	b = own
	if c.tokens > 0 {
		left := c.tokens - s.tokens
		if left <= 0 {
			return b, "the budget of tokens is spent"
		}
		b.Tokens = lower(b.Tokens, left)
	}
	if c.usd > 0 {
		left := council.Dollars(c.usd).USD() - s.cost.USD()
		switch {
		case s.unknown:
			return b, "what a reply cost is not known, so that a budget in US dollars cannot be held"
		case left < 1e-6:
			return b, "the budget of US dollars is spent"
		}
		b.USD = lower(b.USD, left)
	}
	if c.time > 0 {
		left := c.time.Minutes() - float64(s.ms)/60_000
		if left <= 0 {
			return b, "the budget of time is spent"
		}
		b.Minutes = lower(b.Minutes, left)
	}
	return b, ""
}

// lower is the lower of two caps, of which the first may be none.
func lower[N int64 | float64](own, left N) N {
	if own > 0 {
		return min(own, left)
	}
	return left
}
