package cli

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/workspace/seat"
)

// SetPrices caps the budget of a charter by flags and settles its prices.
func SetPrices(a *Env, c *council.Charter, caps BudgetFlags) (err error) {
	if c.Budget, err = caps.Over(c.Budget); err != nil {
		return err
	}
	return seat.Price(a.World, c)
}
