package main

import (
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

// What docs/costs.md shows of a bill is what is said.
func TestCosts_TheHandbookOfCostsShowsWhatIsBesideALog(t *testing.T) {
	doc := check.Get(os.ReadFile("../../docs/costs.md"))(t)
	lines := site.Beside{
		Late: site.PaidSum{Asks: 3, Amount: council.Amount{Tokens: 13_020, Cost: council.Dollars(0.03)}},
		Cut:  site.PaidSum{Asks: 2, Amount: council.Amount{Tokens: 8_600, Cost: council.Dollars(0.02)}},
	}.Words()
	if len(lines) != 2 {
		t.Fatal(lines)
	}
	for _, line := range lines {
		if !strings.Contains(string(doc), line+"\n") {
			t.Errorf("it does not show %s", line)
		}
	}
	single := site.Beside{Waiting: site.PaidSum{Asks: 1, Amount: council.Amount{Tokens: 7, Unknown: true}}}.Words()
	if len(single) != 1 || single[0] != "Also paid for: 1 answer that counts once the session goes on: 7 tokens, cost "+
		"unknown" {
		t.Error(single)
	}
}
