package rules_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// priced gives every model of the charter a price of a dollar for a million new tokens and ten for the reply's.
func priced(usd float64) func(*council.Charter) {
	return func(c *council.Charter) {
		c.Budget.USD = usd
		c.Prices = []council.Rate{{Provider: "script", Model: "*", AsOf: "2026-11-21", Input: 1, Output: 10}}
	}
}

func (f *floor) vote(id string, u council.Usage) {
	f.Helper()
	f.answer(
		council.Reply{Ask: council.AskID("nominate." + id), Body: council.Nomination{Rationale: "good", CandidateID: "ada"},
			Usage: u},
	)
}

func TestProtocolMoney_WhatAReplyCostFollowsFromUsageAndPrices(t *testing.T) {
	cites(t, 83)
	f := convene(t, priced(0))
	f.vote("ada", council.Usage{Calls: 1, InputTokens: 1_000, OutputTokens: 100})
	f.fault("nominate.bob", council.FaultRefusal) // without a token
	if cost, known := f.s.Cost(); cost != council.Dollars(0.002) || !known {
		t.Errorf("it cost %v, known: %t", cost, known)
	}
	f.vote("cyn", council.Usage{Calls: 1}) // the provider does not say
	if cost, known := f.s.Cost(); cost != council.Dollars(0.002) || known {
		t.Errorf("it cost %v, known: %t", cost, known)
	}

	billed := convene(t, priced(0))
	billed.vote(
		"ada",
		council.Usage{Calls: 2, InputTokens: 1_000, OutputTokens: 100, BilledCalls: 1, Billed: council.Dollars(0.0007)},
	)
	if cost, known := billed.s.Cost(); cost != council.Dollars(0.0007) || !known {
		t.Errorf("of what the provider billed it cost %v, known: %t", cost, known)
	}
	billed.vote(
		"bob",
		council.Usage{Provider: "script", Model: "x", Calls: 2, InputTokens: 1_000, BilledCalls: 1,
			Billed: council.Dollars(1)},
	)
	if cost, known := billed.s.Cost(); cost != council.Dollars(1.0007) || known {
		t.Errorf("with a part of which nobody said the cost it is %v, known: %t", cost, known)
	}

	none := convene(t, nil)
	none.vote("cyn", council.Usage{Calls: 1, InputTokens: 1_000, BilledCalls: 1}) // a free model
	if cost, known := none.s.Cost(); cost != 0 || !known {
		t.Errorf("what is billed with nothing cost %v, known: %t", cost, known)
	}
	none.vote("ada", council.Usage{Calls: 1, InputTokens: 1_000})
	cost, known := none.s.Cost()
	check.That(t, cost == 0 && !known, "without a price it cost %v, known: %t", cost, known)
}

func TestProtocolMoney_ABudgetInDollarsSuspendsBetweenQuestions(t *testing.T) {
	cites(t, 67, 68)
	f := convene(t, priced(0.01))
	for _, m := range []string{"ada", "bob", "cyn"} { // the second reaches the budget, and the third is still taken in
		f.vote(m, council.Usage{Calls: 1, InputTokens: 5_000})
	}
	fault := f.s.Suspended()
	if fault == nil || fault.Kind != council.FaultBudget || fault.Message != "0.015 USD of 0.01 USD are spent" {
		t.Fatalf("suspended for %+v", fault)
	}
	f.rule(council.SessionResumed{By: "me"})
	check.Is(t, "suspended after a resume", true, f.s.Suspended() != nil)
	f.rule(council.BudgetAmended{By: "me", Budget: council.Budget{USD: 0.02}})
	f.rule(council.SessionResumed{By: "me"})
	check.Is(t, "suspended within the new budget", false, f.s.Suspended() != nil)
}

func TestProtocolMoney_ABudgetInDollarsNeedsEveryPrice(t *testing.T) {
	cites(t, 84)
	c := smallCharter()
	priced(1)(&c)
	c.Members[1].Model.Provider = "command"
	_, err := rules.Open("s1", council.Topic{Text: "Shall we?"}, c)
	check.ErrorIs(t, "Open", council.ErrBadCharter, err)
	check.Fails(t, "Open", err, "bob (command/script)")
	c.Budget.USD = 0
	check.OK(t, check.Err(rules.Open("s1", council.Topic{Text: "Shall we?"}, c)))

	f := convene(t, nil)
	f.refuses(council.BudgetAmended{By: "me", Budget: council.Budget{USD: 1}})
	f.refuses(council.BudgetAmended{By: "me", Budget: council.Budget{USD: -1}})
}

func TestProtocolMoney_AReplyOfUnknownCostSuspendsABudgetInDollars(t *testing.T) {
	cites(t, 85)
	for name, u := range map[string]council.Usage{
		"the provider does not say":          {Calls: 1},
		"the prompt is beyond the price":     {Calls: 1, InputTokens: 200_001},
		"one of two prompts must have been ": {Calls: 2, InputTokens: 400_001},
	} {
		t.Run(name, func(t *testing.T) {
			f := convene(t, func(c *council.Charter) {
				priced(100)(c)
				c.Prices[0].MaxPrompt = 200_000
			})
			f.vote("ada", u)
			check.Is(t, "suspended while the others vote", false, f.s.Suspended() != nil)
			f.vote("bob", council.Usage{})
			f.vote("cyn", council.Usage{})
			if got := f.s.Suspended(); got == nil || got.Kind != council.FaultBudget ||
				!strings.Contains(got.Message, "nominate.ada") {
				t.Errorf("suspended for %+v", got)
			}
		})
	}
}
