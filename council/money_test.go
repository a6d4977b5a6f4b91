package council

import (
	"encoding/json"
	"math"
	"testing"
)

func TestMoneyIsWrittenExactly(t *testing.T) {
	for want, amount := range map[string]Money{"0": 0, "0.95": Dollars(0.95), "0.000000000001": 1, "12": 12 * Dollar,
		"9223372.036854775807": math.MaxInt64, "-9223372.036854775808": math.MinInt64} {
		doc, err := json.Marshal(amount)
		if string(doc) != want || err != nil {
			t.Errorf("%s, %v; want %s", doc, err, want)
		}
		var back Money
		if err := json.Unmarshal(doc, &back); err != nil || back != amount {
			t.Errorf("%s is read as %d, %v", doc, back, err)
		}
	}
	var m Money
	for _, none := range []string{`"1"`, "1e9", "1e999999999", "0.0000000000001", "9223373",
		"0.1000000000000000000000000001"} {
		if json.Unmarshal([]byte(none), &m) == nil {
			t.Errorf("%s is read as an amount", none)
		}
	}
}

func TestSpell_TimesOfABudget(t *testing.T) {
	for minutes, want := range map[float64]string{
		0.13333333333333333: "8 seconds", 0.005: "0.3 seconds", 1: "60 seconds", 1.5: "90 seconds",
		2: "2 minutes", 10.25: "10.3 minutes", 120: "120 minutes",
	} {
		if got := FormatMinutes(minutes); got != want {
			t.Errorf("%g minutes are spelled %q, want %q", minutes, got, want)
		}
	}
}
