package spending

import (
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/desk"
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

// Over is the budget b with what was given in the place of what it said. An invalid cap is a usage error.
func (c *Caps) Over(b council.Budget) (council.Budget, error) {
	for _, given := range []struct {
		name  string
		value float64
	}{{tokensFlag, float64(c.tokens)}, {usdFlag, c.usd}, {timeFlag, float64(c.time)}} {
		if c.changed(given.name) && !(given.value >= 0 && given.value <= math.MaxFloat64) {
			return b, desk.Refuse("--"+given.name+" is 0, for no limit, or more, not "+c.flags.Lookup(given.name).Value.String(), "Nothing was done.")
		}
	}
	if c.changed(tokensFlag) {
		b.Tokens = c.tokens
	}
	if c.changed(usdFlag) {
		b.USD = c.usd
	}
	if c.changed(timeFlag) {
		b.Minutes = c.time.Minutes()
	}
	return b, nil
}
