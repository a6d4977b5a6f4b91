package council

import (
	"fmt"
	"strings"
)

// PricedModel names a model as prices do. Address is its baseUrl; empty: its provider's own server.
type PricedModel struct{ Provider, Name, Address string }

// Priced names a model as prices do.
func (m *Model) Priced() PricedModel { return PricedModel{m.Provider, m.Model, m.BaseURL} }

// Cost returns what a member's reply cost. It depends on the log alone: on its usage, and on the prices that were
// settled before the council met. What the provider said that it bills counts before the prices. It is unknown when
// neither that nor the price of the model that answered is there, and when the provider did not say how many tokens an
// answer took. An ask that failed without a token cost nothing.
func (c *Charter) Cost(id MemberID, u Usage, failed bool) (cost Money, known bool) {
	rate := c.Price(id, u)
	// A failed call is not billed. But if the reply of a fallback is billed, the configured model may have billed more.
	if u.BilledCalls > 0 && (u.BilledCalls == u.Calls || u.Provider == "") {
		return u.Billed, true
	}
	switch {
	case rate == nil:
		return u.Billed, false
	case u.Tokens() == 0:
		return 0, failed || u.Calls == 0 || rate.Free()
	}
	cost, known = rate.Cost(u)
	return max(cost, u.Billed), known
}

// Amount is a part of a budget.
type Amount struct {
	Tokens  int64
	Cost    Money
	Unknown bool // the cost is more than that, and not known
}

// Plus adds up two parts.
func (a Amount) Plus(b Amount) Amount {
	return Amount{a.Tokens + b.Tokens, a.Cost.Plus(b.Cost), a.Unknown || b.Unknown}
}

// Took returns what a member's reply took of a budget.
func (c *Charter) Took(id MemberID, u Usage, failed bool) Amount {
	cost, known := c.Cost(id, u, failed)
	return Amount{u.Tokens(), cost, !known}
}

// Price returns the price of the model that answered for a member, or nil where none is known.
func (c *Charter) Price(id MemberID, u Usage) *Rate {
	if m := c.Asked(id); m != nil {
		if spoke := m.Model.spoke(u); spoke != nil {
			return c.rate(spoke)
		}
	}
	return nil
}

// spoke returns the model that answered: m, or the one of its fallbacks that the usage names; nil when it names none of
// them.
func (m *Model) spoke(u Usage) *Model {
	if u.Provider == "" {
		return m
	}
	var best *Model
	for i := range m.Fallbacks {
		f := &m.Fallbacks[i]
		if f.Provider == u.Provider && strings.HasPrefix(u.Model, f.Model) &&
			(best == nil || len(f.Model) > len(best.Model)) {
			best = f
		}
	}
	return best
}

// rate returns the price of a model's tokens, or nil. A person and the rehearsal are free.
func (c *Charter) rate(m *Model) *Rate {
	if m.Kind().Unmetered {
		return &Rate{}
	}
	return RateFor(c.Prices, m.Priced())
}

// Speakers lists the models that may answer: this one, and its fallbacks.
func (m *Model) Speakers() []Model { return append([]Model{*m}, m.Fallbacks...) }

// Models lists the models that may be billed: every member's and its fallbacks, in the order of the charter.
func (c *Charter) Models() []PricedModel {
	var all []PricedModel
	for _, m := range c.Members {
		for _, may := range m.Model.Speakers() {
			if !may.Kind().Unmetered {
				all = append(all, may.Priced())
			}
		}
	}
	return all
}

// Unpriced names a member and a model of it that has no price, or is empty when every model that may be asked has one.
func (c *Charter) Unpriced() string {
	for _, m := range c.Members {
		for _, may := range m.Model.Speakers() {
			if c.rate(&may) == nil {
				return fmt.Sprintf("%s (%s/%s)", m.ID, may.Provider, may.Model)
			}
		}
	}
	return ""
}
