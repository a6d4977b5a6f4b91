package main

import (
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

func TestASessionIsGivenNoMoreThanWhatIsLeft(t *testing.T) {
	type took = council.Amount
	minutes := func(n float64) int64 { return int64(n * 60_000) }
	for _, test := range []struct {
		name  string
		caps  site.Caps
		own   council.Budget
		spent site.Spending
		want  council.Budget
		over  string
	}{
		{"no caps", site.Caps{}, council.Budget{Tokens: 5}, site.Spending{Amount: took{Tokens: 1000, Unknown: true}},
			council.Budget{Tokens: 5}, ""},
		{"all is left", site.Caps{Tokens: 100, USD: 2, Time: time.Hour}, council.Budget{}, site.Spending{},
			council.Budget{Tokens: 100, USD: 2, Minutes: 60}, ""},
		{"some is left", site.Caps{Tokens: 100, USD: 2, Time: time.Hour}, council.Budget{},
			site.Spending{Amount: took{Tokens: 40, Cost: council.Dollars(0.5)}, MS: minutes(15)},
			council.Budget{Tokens: 60, USD: 1.5, Minutes: 45}, ""},
		{"the charter allows one session less", site.Caps{Tokens: 100}, council.Budget{Tokens: 10, USD: 1},
			site.Spending{Amount: took{Tokens: 40}}, council.Budget{Tokens: 10, USD: 1}, ""},
		{"the charter allows one session more", site.Caps{Tokens: 100}, council.Budget{Tokens: 70},
			site.Spending{Amount: took{Tokens: 40}}, council.Budget{Tokens: 60}, ""},
		{"tokens are spent", site.Caps{Tokens: 100}, council.Budget{}, site.Spending{Amount: took{Tokens: 100}},
			council.Budget{}, "the budget of tokens is spent"},
		{"dollars are spent", site.Caps{USD: 2}, council.Budget{},
			site.Spending{Amount: took{Cost: council.Dollars(2.01)}},
			council.Budget{}, "the budget of US dollars is spent"},
		{"time is spent", site.Caps{Time: time.Minute}, council.Budget{}, site.Spending{MS: minutes(1)},
			council.Budget{},
			"the budget of time is spent"},
		{"who knows what was spent", site.Caps{USD: 2}, council.Budget{}, site.Spending{Amount: took{Unknown: true}},
			council.Budget{}, "what a reply cost is not known, so that a budget in US dollars cannot be held"},
	} {
		got, over := test.caps.Rest(test.own, test.spent)
		if over != test.over || over == "" && got != test.want {
			t.Errorf("%s: %+v, %q; not %+v, %q", test.name, got, over, test.want, test.over)
		}
	}
}

type fixedBill struct{}

func (fixedBill) Spent() council.Usage        { return council.Usage{InputTokens: 40, ElapsedMS: 7} }
func (fixedBill) Cost() (council.Money, bool) { return council.Dollars(0.4), true }

func TestWhatNoEventHoldsCountsAgainstTheCaps(t *testing.T) {
	var s site.Spending
	s.Add(fixedBill{}, site.Beside{Late: site.PaidSum{Asks: 1, Amount: council.Amount{Tokens: 3,
		Cost: council.Dollars(0.03)}},
		Cut: site.PaidSum{Asks: 2, Amount: council.Amount{Tokens: 2, Cost: council.Dollars(0.02)}}})
	check.Is(t, "it", (site.Spending{Amount: council.Amount{Tokens: 45, Cost: council.Dollars(0.45)}, MS: 7}), s)
	if s.Add(fixedBill{}, site.Beside{Late: site.PaidSum{Amount: council.Amount{Unknown: true}}}); !s.Unknown {
		t.Error("a late answer of unknown cost is known")
	}
}
