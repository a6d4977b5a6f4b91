package evaluating

import (
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/council"
)

func TestASessionIsGivenNoMoreThanWhatIsLeft(t *testing.T) {
	minutes := func(n float64) int64 { return int64(n * 60_000) }
	for _, test := range []struct {
		name  string
		caps  caps
		own   council.Budget
		spent spent
		want  council.Budget
		over  string
	}{
		{"no caps", caps{}, council.Budget{Tokens: 5}, spent{tokens: 1000, unknown: true}, council.Budget{Tokens: 5}, ""},
		{"all is left", caps{tokens: 100, usd: 2, time: time.Hour}, council.Budget{}, spent{}, council.Budget{Tokens: 100, USD: 2, Minutes: 60}, ""},
		{"some is left", caps{tokens: 100, usd: 2, time: time.Hour}, council.Budget{}, spent{tokens: 40, cost: council.Dollars(0.5), ms: minutes(15)},
			council.Budget{Tokens: 60, USD: 1.5, Minutes: 45}, ""},
		{"the charter allows one session less", caps{tokens: 100}, council.Budget{Tokens: 10, USD: 1}, spent{tokens: 40}, council.Budget{Tokens: 10, USD: 1}, ""},
		{"the charter allows one session more", caps{tokens: 100}, council.Budget{Tokens: 70}, spent{tokens: 40}, council.Budget{Tokens: 60}, ""},
		{"tokens are spent", caps{tokens: 100}, council.Budget{}, spent{tokens: 100}, council.Budget{}, "the budget of tokens is spent"},
		{"dollars are spent", caps{usd: 2}, council.Budget{}, spent{cost: council.Dollars(2.01)}, council.Budget{}, "the budget of US dollars is spent"},
		{"time is spent", caps{time: time.Minute}, council.Budget{}, spent{ms: minutes(1)}, council.Budget{}, "the budget of time is spent"},
		{"who knows what was spent", caps{usd: 2}, council.Budget{}, spent{unknown: true}, council.Budget{},
			"what a reply cost is not known, so that a budget in US dollars cannot be held"},
	} {
		got, over := test.caps.rest(test.own, test.spent)
		if over != test.over || over == "" && got != test.want {
			t.Errorf("%s: %+v, %q; not %+v, %q", test.name, got, over, test.want, test.over)
		}
	}
}

type bill struct{}

func (bill) Spent() council.Usage        { return council.Usage{InputTokens: 40, ElapsedMS: 7} }
func (bill) Cost() (council.Money, bool) { return council.Dollars(0.4), true }

func TestWhatNoEventHoldsCountsAgainstTheCaps(t *testing.T) {
	var s spent
	s.add(bill{}, spending.Beside{Late: spending.Sum{Asks: 1, Tokens: 3, Cost: council.Dollars(0.03)}, Cut: spending.Sum{Asks: 2, Tokens: 2, Cost: council.Dollars(0.02)}})
	if want := (spent{tokens: 45, cost: council.Dollars(0.45), ms: 7}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if s.add(bill{}, spending.Beside{Late: spending.Sum{Unknown: true}}); !s.unknown {
		t.Error("a late answer of unknown cost is known")
	}
}
