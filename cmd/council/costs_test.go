package main

import (
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

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
