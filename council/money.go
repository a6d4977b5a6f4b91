package council

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Money is an amount of US dollars, in millionths of a millionth of one. The price of one token is a whole number of
// them, so sums are exact and do not depend on their order. It holds nine million dollars.
type Money int64

const Dollar Money = 1e12 // one US dollar

// Dollars returns the amount of usd dollars, rounded and cut to the range of Money.
func Dollars(usd float64) Money {
	amount := math.Round(usd * float64(Dollar))
	if amount >= math.MaxInt64 {
		return math.MaxInt64
	}
	return Money(max(amount, math.MinInt64))
}

// USD returns the amount in dollars, rounded to a millionth.
func (m Money) USD() float64 { return math.Round(float64(m)/1e6) / 1e6 }

// String returns the amount for people: to the cent from a dollar on, below it to two digits that matter.
func (m Money) String() string {
	usd, digits := m.USD(), 2
	for limit := 0.1; digits < 6 && usd > 0 && usd < limit; limit /= 10 {
		digits++
	}
	text := strconv.FormatFloat(usd, 'f', digits, 64)
	for digits > 2 && strings.HasSuffix(text, "0") {
		text, digits = text[:len(text)-1], digits-1
	}
	return text + " USD"
}

// Plus adds, within the range of Money.
func (m Money) Plus(n Money) Money {
	if n > 0 && m > math.MaxInt64-n {
		return math.MaxInt64
	}
	return m + n
}

// MarshalJSON writes the amount as a number of dollars, exactly.
func (m Money) MarshalJSON() ([]byte, error) {
	text := big.NewRat(int64(m), int64(Dollar)).FloatString(12)
	return []byte(strings.TrimSuffix(strings.TrimRight(text, "0"), ".")), nil
}

// UnmarshalJSON reads the form of MarshalJSON.
func (m *Money) UnmarshalJSON(text []byte) error {
	if len(text) > 24 || strings.ContainsAny(string(text), "eE/") { // an exponent could ask for any amount of memory
		return fmt.Errorf("%.24s is not an amount of dollars", text)
	}
	usd, ok := new(big.Rat).SetString(string(text))
	if ok {
		usd.Mul(usd, big.NewRat(int64(Dollar), 1))
	}
	if !ok || !usd.IsInt() || !usd.Num().IsInt64() {
		return fmt.Errorf("%s is not an amount of dollars", text)
	}
	*m = Money(usd.Num().Int64())
	return nil
}

// times returns the price of n tokens at m each, within the range of Money. n is not negative.
func (m Money) times(n int64) Money {
	if m > 0 && n > int64(math.MaxInt64/m) {
		return math.MaxInt64
	}
	return m * Money(n)
}

// PricedModel names a model as prices do. Address is its baseUrl; empty: its provider's own server.
type PricedModel struct{ Provider, Name, Address string }

// Priced names a model as prices do.
func (m *Model) Priced() PricedModel { return PricedModel{m.Provider, m.Model, m.BaseURL} }

// Cost returns the cost of a member's reply. It depends on the log alone: on the usage, and on the prices that were
// settled before the council met. The provider's own bill counts before the prices. It is unknown without a bill and
// without the price of the model that answered, and when the provider did not report the tokens of an answer. An ask
// that failed without a token cost nothing.
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

// AmountOf returns the part of a budget that a member's reply took.
func (c *Charter) AmountOf(id MemberID, u Usage, failed bool) Amount {
	cost, known := c.Cost(id, u, failed)
	return Amount{u.Tokens(), cost, !known}
}

// Price returns the price of the model that answered for a member, or nil where none is known.
func (c *Charter) Price(id MemberID, u Usage) *Rate {
	if m := c.Asked(id); m != nil {
		if spoke := m.Model.speaker(u); spoke != nil {
			return c.rate(spoke)
		}
	}
	return nil
}

// speaker returns the model that answered: m, or the fallback that the usage names; nil when it names another.
func (m *Model) speaker(u Usage) *Model {
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

// PossibleModels lists the models that may answer: this one, and its fallbacks.
func (m *Model) PossibleModels() []Model { return append([]Model{*m}, m.Fallbacks...) }

// Models lists the models that may be billed: every member's and its fallbacks, in the order of the charter.
func (c *Charter) Models() []PricedModel {
	var all []PricedModel
	for _, m := range c.Members {
		for _, may := range m.Model.PossibleModels() {
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
		for _, may := range m.Model.PossibleModels() {
			if c.rate(&may) == nil {
				return fmt.Sprintf("%s (%s)", m.ID, may.Name())
			}
		}
	}
	return ""
}

// FormatMinutes writes a time in minutes for people: in seconds below two minutes.
func FormatMinutes(minutes float64) string {
	n, unit := minutes, " minutes"
	if minutes < 2 {
		n, unit = minutes*60, " seconds"
	}
	return strconv.FormatFloat(math.Round(n*10)/10, 'f', -1, 64) + unit
}

// CannotHold says why a session of the charter could not hold a budget: it is negative, or bounds US dollars where a
// price is not known. It is empty for one that can be held.
func (c *Charter) CannotHold(b Budget) string {
	if b.Tokens < 0 || !(b.USD >= 0) || !(b.Minutes >= 0) {
		return "a budget is not negative"
	}
	if unpriced := c.Unpriced(); b.USD > 0 && unpriced != "" {
		return "a budget in US dollars needs the price of every member's model, and that of " + unpriced + " is not known"
	}
	return ""
}
