package site

import (
	"cmp"
	"time"

	"github.com/council-engine/council/council"
)

// Caps limit the cost of one session or of several together. A cap that was given as 0 allows nothing.
type Caps struct {
	Tokens int64
	USD    float64
	Time   time.Duration

	TokensGiven, USDGiven, TimeGiven bool
}

// Given reports whether any cap was given.
func (c Caps) Given() bool { return c.TokensGiven || c.USDGiven || c.TimeGiven }

// Over returns a budget in which the given caps replace its own.
func (c Caps) Over(b council.Budget) council.Budget {
	if c.TokensGiven {
		b.Tokens = c.Tokens
	}
	if c.USDGiven {
		b.USD = c.USD
	}
	if c.TimeGiven {
		b.Minutes = c.Time.Minutes()
	}
	return b
}

// Rest returns the budget of the next session: the charter's own, and at most the rest of the caps. over names the
// exhausted cap, or is empty.
func (c Caps) Rest(own council.Budget, s Spending) (b council.Budget, over string) {
	b = own
	if c.Tokens > 0 {
		left := c.Tokens - s.Tokens
		if left <= 0 {
			return b, "the budget of tokens is spent"
		}
		b.Tokens = min(cmp.Or(b.Tokens, left), left)
	}
	if c.USD > 0 {
		left := council.Dollars(c.USD).USD() - s.Cost.USD()
		switch {
		case s.Unknown:
			return b, "what a reply cost is not known, so that a budget in US dollars cannot be held"
		case left < 1e-6:
			return b, "the budget of US dollars is spent"
		}
		b.USD = min(cmp.Or(b.USD, left), left)
	}
	if c.Time > 0 {
		left := c.Time.Minutes() - float64(s.MS)/60_000
		if left <= 0 {
			return b, "the budget of time is spent"
		}
		b.Minutes = min(cmp.Or(b.Minutes, left), left)
	}
	return b, ""
}
