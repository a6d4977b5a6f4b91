package main

import (
	"testing"
	"time"

	"github.com/council-engine/council/council"
)

func TestASessionIsGivenNoMoreThanWhatIsLeft(t *testing.T) {
	type took = council.Amount
	minutes := func(n float64) int64 { return int64(n * 60_000) }
	for _, test := range []struct {
		name  string
		caps  budgetFlags
		own   council.Budget
		spent spending
		want  council.Budget
		over  string
	}{
		{"no caps", budgetFlags{}, council.Budget{Tokens: 5}, spending{Amount: took{Tokens: 1000, Unknown: true}},
			council.Budget{Tokens: 5}, ""},
		{"all is left", budgetFlags{tokens: 100, usd: 2, time: time.Hour}, council.Budget{}, spending{},
			council.Budget{Tokens: 100, USD: 2, Minutes: 60}, ""},
		{"some is left", budgetFlags{tokens: 100, usd: 2, time: time.Hour}, council.Budget{},
			spending{Amount: took{Tokens: 40, Cost: council.Dollars(0.5)}, ms: minutes(15)},
			council.Budget{Tokens: 60, USD: 1.5, Minutes: 45}, ""},
		{"the charter allows one session less", budgetFlags{tokens: 100}, council.Budget{Tokens: 10, USD: 1},
			spending{Amount: took{Tokens: 40}}, council.Budget{Tokens: 10, USD: 1}, ""},
		{"the charter allows one session more", budgetFlags{tokens: 100}, council.Budget{Tokens: 70},
			spending{Amount: took{Tokens: 40}}, council.Budget{Tokens: 60}, ""},
		{"tokens are spent", budgetFlags{tokens: 100}, council.Budget{}, spending{Amount: took{Tokens: 100}},
			council.Budget{}, "the budget of tokens is spent"},
		{"dollars are spent", budgetFlags{usd: 2}, council.Budget{}, spending{Amount: took{Cost: council.Dollars(2.01)}},
			council.Budget{}, "the budget of US dollars is spent"},
		{"time is spent", budgetFlags{time: time.Minute}, council.Budget{}, spending{ms: minutes(1)}, council.Budget{},
			"the budget of time is spent"},
		{"who knows what was spent", budgetFlags{usd: 2}, council.Budget{}, spending{Amount: took{Unknown: true}},
			council.Budget{}, "what a reply cost is not known, so that a budget in US dollars cannot be held"},
	} {
		got, over := test.caps.rest(test.own, test.spent)
		if over != test.over || over == "" && got != test.want {
			t.Errorf("%s: %+v, %q; not %+v, %q", test.name, got, over, test.want, test.over)
		}
	}
}

type fixedBill struct{}

func (fixedBill) Spent() council.Usage        { return council.Usage{InputTokens: 40, ElapsedMS: 7} }
func (fixedBill) Cost() (council.Money, bool) { return council.Dollars(0.4), true }

func TestWhatNoEventHoldsCountsAgainstTheCaps(t *testing.T) {
	var s spending
	s.add(fixedBill{}, besideLog{Late: paidSum{1, council.Amount{Tokens: 3, Cost: council.Dollars(0.03)}},
		Cut: paidSum{2, council.Amount{Tokens: 2, Cost: council.Dollars(0.02)}}})
	if want := (spending{Amount: council.Amount{Tokens: 45, Cost: council.Dollars(0.45)}, ms: 7}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if s.add(fixedBill{}, besideLog{Late: paidSum{Amount: council.Amount{Unknown: true}}}); !s.Unknown {
		t.Error("a late answer of unknown cost is known")
	}
}
