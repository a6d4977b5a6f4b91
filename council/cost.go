package council

import (
	"fmt"

	"github.com/council-engine/council/council/price"
)

// Priced names a model as prices do.
func (m *Model) Priced() price.Model {
	return price.Model{Provider: m.Provider, Name: m.Model, Address: m.BaseURL}
}

// Priced names the tokens as prices do.
func (u Usage) Priced() price.Tokens {
	return price.Tokens{Calls: u.Calls, New: u.InputTokens, Cached: u.CachedTokens, Written: u.CacheWriteTokens,
		Output: u.OutputTokens, Reasoning: u.ReasoningTokens}
}

// Cost is what a member's reply cost, a function of the log alone: of its usage, and of the prices that were settled
// before the council met. It is unknown when there is no price for the model that answered, and when the provider did
// not say how many tokens an answer took. An ask that failed without a token cost nothing.
func (c *Charter) Cost(id MemberID, u Usage, failed bool) (cost price.Money, known bool) {
	var rate *price.Rate
	if m := c.Member(id); m != nil {
		rate = price.Of(c.Prices, m.Model.Priced())
	}
	switch {
	case rate == nil:
		return 0, false
	case u.Tokens() == 0:
		return 0, failed || u.Calls == 0 || rate.Free()
	}
	return rate.Cost(u.Priced())
}

// Unpriced names a member without a price for its model, with the model, or is empty when every member has one.
func (c *Charter) Unpriced() string {
	for i := range c.Members {
		m := &c.Members[i]
		if price.Of(c.Prices, m.Model.Priced()) == nil {
			return fmt.Sprintf("%s (%s/%s)", m.ID, m.Model.Provider, m.Model.Model)
		}
	}
	return ""
}

func (c *Charter) checkMoney(p *problems) {
	p.notNegative("/budget/tokens", float64(c.Budget.Tokens))
	p.notNegative("/budget/usd", c.Budget.USD)
	p.notNegative("/budget/minutes", c.Budget.Minutes)
	if len(c.Prices) > price.MaxRates {
		p.add("/prices", "there are at most %d prices, not %d", price.MaxRates, len(c.Prices))
	}
	for i := range c.Prices {
		for _, found := range c.Prices[i].Problems() {
			p.add(fmt.Sprintf("/prices/%d/%s", i, found.Field), "%s", found.Text)
		}
	}
}
