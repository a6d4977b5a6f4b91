package main

import (
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

// What docs/costs.md shows of a bill is what is said.
func TestTheHandbookOfCostsShowsWhatIsBesideALog(t *testing.T) {
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

// "0.00 USD, and what  took" named nobody where only a call that failed had an unknown price.
func TestWhoseCallFailedAtAnUnknownPriceIsNamed(t *testing.T) {
	charter := shortCharter("http://127.0.0.1:1")
	charter.Prices = []council.Rate{{Provider: "none", Model: "m", AsOf: "2026-11-01"}}
	opening := check.Get(rules.Open("s", council.Topic{Text: "Shall we?"}, charter))(t)
	s := check.Get(rules.Replay(rules.Log(opening)))(t)
	ask := s.Ready().Asks[0]
	e, err := s.Answer(council.Reply{Ask: ask.ID, Usage: council.Usage{Calls: 1, InputTokens: 9},
		Fault: &council.Fault{Kind: council.FaultRate, Message: "x"}})
	if err == nil {
		err = s.Apply(e)
	}
	if err != nil {
		t.Fatal(err)
	}
	if words, want := cli.CostWords(s), "and what "+string(ask.Member)+
		" took, of which the cost is not known"; !strings.Contains(words, want) {
		t.Errorf("it says %q, without %q", words, want)
	}
}
