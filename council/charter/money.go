package charter

import (
	"fmt"

	"github.com/council-engine/council/council"
)

// checkMoney holds the budget against itself and the prices.
func (c checking) checkMoney(p *problems) {
	p.notNegative("/budget/tokens", float64(c.Budget.Tokens))
	p.notNegative("/budget/usd", c.Budget.USD)
	p.notNegative("/budget/minutes", c.Budget.Minutes)
	if len(c.Prices) > council.MaxRates {
		p.add("/prices", "there are at most %d prices, not %d", council.MaxRates, len(c.Prices))
	}
	for i := range c.Prices {
		for _, found := range c.Prices[i].Problems() {
			p.add(fmt.Sprintf("/prices/%d/%s", i, found.Field), "%s", found.Text)
		}
	}
}
