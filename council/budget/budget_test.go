package budget_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// room is a session with a budget, of which the test plays the engine.
type room struct {
	*testing.T
	charter council.Charter
	limit   council.Budget
	events  []council.Event
	bytes   int64
	budget  *budget.Budget
}

func enter(t *testing.T, b council.Budget, o budget.Opening) *room {
	r := &room{T: t, limit: b, bytes: 300}
	r.charter.Prices = []council.Rate{{Provider: "test", Model: "m", Input: 1, Output: 10, MaxPrompt: 100_000}}
	for _, id := range []council.MemberID{"ada", "bob", "cyn"} {
		r.charter.Members = append(r.charter.Members,
			council.Member{ID: id, Model: council.Model{Provider: "test", Model: "m"}})
	}
	r.open(o)
	return r
}

func (r *room) open(o budget.Opening) {
	o.Charter, o.Budget, o.Events = &r.charter, func() council.Budget { return r.limit }, r.events
	o.Sizes = func(council.View) int64 { return r.bytes }
	r.budget = budget.New(o)
}

// vote is the vote for a leader of each of the members, which is estimated at 100 tokens for the reply at first.
func (r *room) views(members ...council.MemberID) []council.View {
	var views []council.View
	for _, m := range members {
		views = append(views, council.View{
			Ask: council.Ask{ID: council.AskID("nominate." + m), Kind: council.AskNominate, Member: m}, Events: r.events,
		})
	}
	return views
}

func (r *room) admit(members ...council.MemberID) *council.Fault {
	return r.budget.Admit(r.views(members...))
}

func (r *room) admits(members ...council.MemberID) {
	r.Helper()
	fault := r.admit(members...)
	check.That(r, fault == nil, "%v are not asked: %v", members, fault)
}

func (r *room) refuses(words string, members ...council.MemberID) {
	r.Helper()
	if fault := r.admit(members...); fault == nil || fault.Kind != council.FaultBudget ||
		!strings.Contains(fault.Message, words) {
		r.Errorf("%v are asked, or for another reason than %q not: %v", members, words, fault)
	}
}

// answer is the model of a member that has one reply.
type answer struct {
	usage  council.Usage
	err    error
	during func() // nil: nothing
	calls  int
}

func (a *answer) Complete(context.Context, *prompt.Prompt) (prompt.Completion, error) {
	a.calls++
	if a.during != nil {
		a.during()
	}
	return prompt.Completion{Usage: a.usage}, a.err
}

func (r *room) call(m council.MemberID, try int, a *answer) (prompt.Completion, error) {
	q := &prompt.Prompt{View: r.views(m)[0], Try: try, System: prompt.System{Shared: strings.Repeat("x", int(r.bytes))}}
	return r.budget.Pay(a, m).Complete(r.Context(), q)
}

// records puts the reply into the log.
func (r *room) records(m council.MemberID, u council.Usage) {
	r.events = append(r.events, council.Event{Actor: m, Payload: council.LeaderBallotCast{
		Answered: council.Answered{Ask: council.AskID("nominate." + m), Usage: u},
	}})
}

func TestBudget_WhatDoesNotFitIsNotPut(t *testing.T) {
	r := enter(t, council.Budget{Tokens: 599}, budget.Opening{})
	r.refuses("the next 3 questions need about 600 tokens, and 599 of 599 are left: 1 too few", "ada", "bob", "cyn")
	r.limit.Tokens = 600
	r.admits("ada", "bob", "cyn")
	late := &answer{usage: council.Usage{Calls: 1, InputTokens: 1}}
	late.during = func() { // the others were withdrawn, and this one is out
		r.refuses("the next 3 questions need about 600 tokens, and 400 of 600 are left: 200 too few", "ada", "bob", "cyn")
	}
	check.Get(r.call("ada", 1, late))(t)
}

func TestBudget_WhatDoesNotFitInMoneyIsNotPut(t *testing.T) {
	r := enter(t, council.Budget{USD: 0.001}, budget.Opening{})
	r.refuses("about 0.0011 USD, and 0.001 USD of 0.001 USD are left: 0.0001 USD too little", "ada")
	r.limit.USD = 0.0011
	r.admits("ada")
	r.limit.USD, r.bytes = 1e9, 300_003
	r.refuses("longer than their price holds for", "bob")
}

func TestBudget_WithoutABudgetNothingIsEstimated(t *testing.T) {
	r := enter(t, council.Budget{Minutes: 1}, budget.Opening{})
	r.budget.Admit(nil)
	r.bytes = 1 << 60
	r.admits("ada", "bob", "cyn")
}

func TestBudget_AReplyIsSettledByWhatWasReported(t *testing.T) {
	r := enter(t, council.Budget{Tokens: 1_000}, budget.Opening{})
	r.admits("ada")
	took := council.Usage{Calls: 1, InputTokens: 40, OutputTokens: 60}
	c := check.Get(r.call("ada", 1, &answer{usage: took}))(t)
	check.Is(t, "bytes of the prompt", 300, c.Usage.PromptBytes)
	r.admits("bob") // 900 are left
	r.records("ada", c.Usage)
	// From now on the model is known to take 40 tokens for 300 bytes, and 60 for a vote.
	r.limit.Tokens = 199
	r.refuses("about 100 tokens, and 99 of 199 are left", "cyn")
	r.limit.Tokens = 200
	r.admits("cyn")
}

func TestBudget_WhatWasPaidForCountsWhetherItIsRecordedOrNot(t *testing.T) {
	took := council.Usage{Calls: 1, InputTokens: 400, OutputTokens: 100}
	r := enter(t, council.Budget{Tokens: 1_000},
		budget.Opening{Paid: map[council.AskID]council.Usage{"nominate.ada": took}})
	r.admits("ada") // its reply is on the tape
	r.bytes = 1_500
	r.refuses("need about 600 tokens, and 500 of 1000 are left", "ada", "bob") // ada needs nothing
	r.bytes = 300
	r.records("ada", took)
	r.limit.Tokens = 500
	r.refuses("0 of 500 are left", "bob") // and is not counted twice
	fault := r.admit("bob")
	check.That(t, fault != nil && !strings.Contains(fault.Message, "-"), "it says %v", fault)
}

func TestBudget_AWithdrawnQuestionIsGivenBackUnlessItMayBeBilled(t *testing.T) {
	r := enter(t, council.Budget{Tokens: 250}, budget.Opening{})
	r.admits("ada") // and is withdrawn before it is put
	r.admits("bob")
	check.ErrorIs(t, "the call", context.Canceled, check.Err(r.call("bob", 1, &answer{err: context.Canceled})))
	r.refuses("50 of 250 are left", "cyn")
}

func TestBudget_AnAnswerFromTheTapeGivesBackWhatWasHeld(t *testing.T) {
	r := enter(t, council.Budget{Tokens: 250}, budget.Opening{})
	r.admits("ada")
	check.Get(r.budget.Seat(silent{}).Answer(t.Context(), r.views("ada")[0]))(t)
	r.admits("bob")
}

type silent struct{}

func (silent) Answer(context.Context, council.View) (council.Reply, error) {
	return council.Reply{}, nil
}

func TestBudget_ARepairThatDoesNotFitIsNotPut(t *testing.T) {
	r := enter(t, council.Budget{Tokens: 350}, budget.Opening{})
	r.admits("ada")
	a := &answer{usage: council.Usage{Calls: 1, InputTokens: 100, OutputTokens: 100}}
	check.Get(r.call("ada", 1, a))(t)
	var refused *member.CallError
	if _, err := r.call("ada", 2, a); !errors.As(err, &refused) || refused.Fault.Kind != council.FaultBudget ||
		a.calls != 1 {
		t.Errorf("%v, after %d calls", err, a.calls)
	}
	r.limit.Tokens = 400
	r.admits() // a ruling amended the budget: the next question looks at it
	_, err := r.call("ada", 2, a)
	check.That(t, err == nil && a.calls == 2, "%v, after %d calls", err, a.calls)
}

func TestBudget_WhatACrashCutOffMayHaveBeenBilledEachTime(t *testing.T) {
	var again []council.AskID
	o := budget.Opening{
		Doubts: map[council.AskID]int{"nominate.ada": 2}, Cut: []council.AskID{"nominate.ada"},
		Again: func(a council.AskID) error { again = append(again, a); return nil },
	}
	r := enter(t, council.Budget{Tokens: 599}, o)
	r.refuses("199 of 599 are left", "ada")
	r.limit.Tokens = 600
	r.admits("ada")
	took := council.Usage{Calls: 1, InputTokens: 50, OutputTokens: 50}
	for range 2 {
		check.Get(r.call("ada", 1, &answer{usage: took}))(t)
	}
	check.Is(t, "questions noted as asked again", 1, len(again))

	r.events = nil // now the answer is known, and so is the cost of the questions in doubt
	r.open(budget.Opening{Doubts: map[council.AskID]int{"nominate.ada": 2}})
	r.records("ada", took)
	r.limit.Tokens = 399
	r.refuses("99 of 399 are left", "bob")

	failing := o
	failing.Again = func(council.AskID) error { return errors.New("disk full") }
	r.events = nil
	r.open(failing)
	a := &answer{}
	var tape *member.CallLogError
	_, err := r.call("ada", 1, a)
	check.That(t, errors.As(err, &tape) && a.calls == 0, "%v, after %d calls", err, a.calls)
}

// A second that was called off, or cut off, and that no answer ever settles was billed with its prompt.
func TestBudget_WhatWasCutOffForGoodWasBilledWithItsPrompt(t *testing.T) {
	r := enter(t, council.Budget{Tokens: 750}, budget.Opening{})
	took := council.Usage{Calls: 1, PromptBytes: 300, InputTokens: 100, OutputTokens: 50}
	r.records("ada", took)
	r.records("bob", took)
	r.open(budget.Opening{Doubts: map[council.AskID]int{"p1.r1.t3.second.ada": 1, "p1.r1.t3.second.bob": 1}})
	// 2 × 150 on record, and for each second 100 for its prompt and 100 for the reply
	r.refuses("150 tokens, and 50 of 750 are left", "cyn")
}

func meter() (*budget.Meter, *council.Charter) {
	c := &council.Charter{Members: []council.Member{
		{ID: "ada", Model: council.Model{Provider: "p", Model: "m"}},
		{ID: "bob", Model: council.Model{Provider: "p", Model: "m", MaxTokens: 50}},
		{ID: "cyn", Model: council.Model{Provider: "p", Model: "other"}},
		{ID: "kim", Model: council.Model{Provider: "human"}},
	}}
	return budget.NewMeter(c), c
}

func TestBudget_AnUnknownModelTakesATokenForThreeBytes(t *testing.T) {
	m, _ := meter()
	for id, want := range map[council.MemberID]council.Usage{
		"ada":    {Calls: 1, PromptBytes: 3_001, InputTokens: 1_001, OutputTokens: 150},
		"bob":    {Calls: 1, PromptBytes: 3_001, InputTokens: 1_001, OutputTokens: 50}, // it can write no more
		"kim":    {},
		"nobody": {},
	} {
		check.Equal(t, id, want, m.Estimate(id, council.AskBallot, 3_001))
	}
}

func TestBudget_AModelTeachesItsRateItsSharesAndItsLengths(t *testing.T) {
	m, _ := meter()
	m.Learn("bob", council.AskTurn, council.Usage{Calls: 1, PromptBytes: 4_000, InputTokens: 100, CachedTokens: 800,
		CacheWriteTokens: 100, OutputTokens: 1_000, ReasoningTokens: 200})
	// 500 each
	m.Learn("bob", council.AskTurn, council.Usage{Calls: 2, PromptBytes: 4_000, InputTokens: 100, CachedTokens: 800,
		CacheWriteTokens: 100, OutputTokens: 1_000})
	m.Learn("bob", council.AskTurn, council.Usage{Calls: 1}) // it did not say
	want := council.Usage{Calls: 1, PromptBytes: 8_000, InputTokens: 200, CachedTokens: 1_600, CacheWriteTokens: 200,
		OutputTokens: 1_200}
	check.Equal(t, "it", want, m.Estimate("ada", council.AskTurn, 8_000))
	// It wrote 2,200 tokens where 750 were assumed: of a ballot 440 are expected, and not 150.
	check.Is(t, "a ballot of tokens", 440, m.Estimate("ada", council.AskBallot, 8_000).OutputTokens)
	got := m.Estimate("cyn", council.AskTurn, 8_000)
	check.That(t, got.InputTokens == 2_667 && got.OutputTokens == 250, "another model learnt it too: %+v", got)
}

func TestBudget_OldLogsWithoutBytesTeachLengthsAlone(t *testing.T) {
	m, _ := meter()
	m.Learn("ada", council.AskBallot, council.Usage{Calls: 1, InputTokens: 1 << 40, OutputTokens: 70})
	got := m.Estimate("ada", council.AskBallot, 300)
	check.That(t, got.InputTokens == 100 && got.OutputTokens == 70, "got %+v", got)
}

func TestBudget_AbsurdReportsDoNotOverflow(t *testing.T) {
	m, _ := meter()
	m.Learn("ada", council.AskTurn, council.Usage{Calls: 1, PromptBytes: 1, InputTokens: 1 << 40, OutputTokens: 1})
	got := m.Estimate("ada", council.AskTurn, 1<<40).InputTokens
	check.That(t, got > 0, "%d tokens", got)
}
