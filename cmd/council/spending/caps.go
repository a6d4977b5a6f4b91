package spending

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/council"
)

// Caps are the flags that cap what a session may spend over its whole life.
type Caps struct {
	flags  *pflag.FlagSet
	tokens int64
	usd    float64
	time   time.Duration
}

// The names of the flags.
const (
	tokensFlag = "budget-tokens"
	usdFlag    = "budget-usd"
	timeFlag   = "budget-time"
)

// Flags adds the flags.
func (c *Caps) Flags(f *pflag.FlagSet) {
	c.flags = f
	f.Int64Var(&c.tokens, tokensFlag, 0, "at most so many tokens for the whole session; 0 is no limit")
	f.Float64Var(&c.usd, usdFlag, 0, "at most so many US dollars for the whole session, by known prices; 0 is no limit")
	f.DurationVar(&c.time, timeFlag, 0, "at most so long waiting for members, such as 30m or 1h30m; 0 is no limit")
}

// Given reports whether any of the flags was given.
func (c *Caps) Given() bool {
	return c.changed(tokensFlag) || c.changed(usdFlag) || c.changed(timeFlag)
}

func (c *Caps) changed(name string) bool { return c.flags != nil && c.flags.Changed(name) }

// Over is the budget b with what was given in the place of what it said.
func (c *Caps) Over(b council.Budget) council.Budget {
	if c.changed(tokensFlag) {
		b.Tokens = c.tokens
	}
	if c.changed(usdFlag) {
		b.USD = c.usd
	}
	if c.changed(timeFlag) {
		b.Minutes = c.time.Minutes()
	}
	return b
}
