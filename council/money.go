package council

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Money is an amount of US dollars, in millionths of a millionth of one. What one token costs is a whole number of
// them, so sums are exact and do not depend on their order. It holds nine million dollars.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1e12

// Dollars returns the amount of usd dollars, rounded; amounts beyond what Money holds are cut to what it holds.
func Dollars(usd float64) Money {
	amount := math.Round(usd * float64(Dollar))
	if amount >= math.MaxInt64 {
		return math.MaxInt64
	}
	return Money(max(amount, math.MinInt64))
}

// USD returns the amount in dollars, rounded to a millionth.
func (m Money) USD() float64 { return math.Round(float64(m)/1e6) / 1e6 }

// String returns the amount for people: to the cent from one dollar on, below it to two digits that matter, at least
// cents.
func (m Money) String() string {
	usd := m.USD()
	digits := 2
	for limit := 0.1; digits < 6 && usd > 0 && usd < limit; limit /= 10 {
		digits++
	}
	text := strconv.FormatFloat(usd, 'f', digits, 64)
	for digits > 2 && strings.HasSuffix(text, "0") {
		text, digits = text[:len(text)-1], digits-1
	}
	return text + " USD"
}

// Plus adds and stops at what Money holds.
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

// UnmarshalJSON reads what MarshalJSON writes.
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

// times returns the price of n tokens at m each, cut to what Money holds. n is not negative.
func (m Money) times(n int64) Money {
	if m > 0 && n > int64(math.MaxInt64/m) {
		return math.MaxInt64
	}
	return m * Money(n)
}
