package cli

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// flags adds those of the flags that are named.
func CharterFlags(f *pflag.FlagSet, o *seat.Choice, names ...string) {
	all := Flags{"config": &o.Config, "council": &o.Council, "model": &o.Model, "pace": &o.Pace, "root": &o.Root}
	for _, name := range names {
		AddFlags(f, Flags{name: all[name]})
	}
}

// ContextFlags adds the flags that name documents.
func ContextFlags(f *pflag.FlagSet, o *seat.Context) {
	AddFlags(f, Flags{"context": &o.Contexts, "diff": &o.Diffs})
}

// BudgetFlags are the flags that cap what a session may spend over its whole life.
type BudgetFlags struct {
	set    *pflag.FlagSet
	Tokens int64
	Usd    float64
	Time   time.Duration
}

// The names of the flags.
const (
	tokensFlag = "budget-tokens"
	usdFlag    = "budget-usd"
	timeFlag   = "budget-time"
)

// AddFlags adds the flags of the caps.
func (c *BudgetFlags) AddFlags(f *pflag.FlagSet) {
	c.set = f
	AddFlags(f, Flags{tokensFlag: &c.Tokens, usdFlag: &c.Usd, timeFlag: &c.Time})
}

// Given reports whether any cap was given.
func (c *BudgetFlags) Given() bool {
	return c.changed(tokensFlag) || c.changed(usdFlag) || c.changed(timeFlag)
}

func (c *BudgetFlags) changed(name string) bool { return c.set != nil && c.set.Changed(name) }

// Over returns the budget b with what was given in the place of what it said. An invalid cap is a usage error.
func (c *BudgetFlags) Over(b council.Budget) (council.Budget, error) {
	for _, given := range []struct {
		name  string
		value float64
		take  func()
	}{
		{tokensFlag, float64(c.Tokens), func() { b.Tokens = c.Tokens }},
		{usdFlag, c.Usd, func() { b.USD = c.Usd }},
		{timeFlag, float64(c.Time), func() { b.Minutes = c.Time.Minutes() }},
	} {
		switch {
		case !c.changed(given.name):
		case !(given.value >= 0 && given.value <= math.MaxFloat64):
			return b, site.Refuse("--"+given.name+" is 0, for no limit, or more, not "+c.set.Lookup(given.name).Value.String(),
				"Nothing was done.")
		default:
			given.take()
		}
	}
	return b, nil
}

// UsualLimit is how many lines a list has unless more are asked for: what fits on a screen.
const UsualLimit = 20

// LimitFlag adds the flag of a list that is cut.
func LimitFlag(f *pflag.FlagSet, limit *int) {
	*limit = UsualLimit
	AddFlags(f, Flags{"limit": limit})
}

// ListLimit returns how many things a list may hold, 0 being all. Programs are given all unless they ask for less.
func ListLimit(cmd *cobra.Command, limit int, asJSON bool) (int, error) {
	if limit < 0 {
		return 0, Usage(cmd, fmt.Errorf("--limit is 0, for all, or more, not %d", limit))
	}
	if asJSON && !cmd.Flags().Changed("limit") {
		return 0, nil
	}
	return limit, nil
}

// Rest says how many things a list leaves out, and which command lists all.
func (l *Listing) Rest(n int, what, command string) {
	if n > 0 && !l.json {
		l.Say("And %s. All are listed by: %s", plural.Things(n, "older "+what), command)
	}
}

// Rest returns the budget of the next session: what the charter allows one, and at most what is left of the caps. over
// names the cap that is spent, or is empty.
func (c *BudgetFlags) Rest(own council.Budget, s site.Spending) (b council.Budget, over string) {
	b = own
	if c.Tokens > 0 {
		left := c.Tokens - s.Tokens
		if left <= 0 {
			return b, "the budget of tokens is spent"
		}
		b.Tokens = min(cmp.Or(b.Tokens, left), left)
	}
	if c.Usd > 0 {
		left := council.Dollars(c.Usd).USD() - s.Cost.USD()
		switch {
		case s.Unknown:
			return b, "what a reply cost is not known, so that a budget in US dollars cannot be held"
		case left < 1e-6:
			return b, "the budget of US dollars is spent"
		}
		b.USD = min(cmp.Or(b.USD, left), left)
	}
	if c.Time > 0 {
		left := c.Time.Minutes() - float64(s.Ms)/60_000
		if left <= 0 {
			return b, "the budget of time is spent"
		}
		b.Minutes = min(cmp.Or(b.Minutes, left), left)
	}
	return b, ""
}
