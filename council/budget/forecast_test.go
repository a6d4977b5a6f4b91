package budget_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func forecast(c council.Charter) budget.Forecast {
	systems := make([]int64, len(c.Members))
	for i := range systems {
		systems[i] = 4_000
	}
	return budget.ForecastOf(&c, systems)
}

func serverCalls(f budget.Forecast) [3]int {
	return [3]int{f.Least.Total.Usage.Calls, f.Usual.Total.Usage.Calls, f.Most.Total.Usage.Calls}
}

func TestForecast_CallsFollowFromTheCharter(t *testing.T) {
	small := counciltest.Charter(3, 1, "http://127.0.0.1:1")
	small.Phases, small.SessionPolicy.EntryPhaseID = small.Phases[1:], "decide"
	for _, test := range []struct {
		name string
		edit func(*council.Charter)
		want [3]int
	}{
		// At least: 3 positions, 3 nominations, 3 passes, an assessment, a summary, a draft, 3 ballots. Usually: 3 and
		// 3, 3 turns, 2 seconds, 3 ballots, an assessment, a summary, 2 drafts with 3 ballots each, 3 reviews. At most:
		// 3 and 3, 3 motions with 2 seconds and 3 ballots, 3 drafts with 3 ballots and 3 reviews, 3 dissents; a
		// leader's questions (assessment, summary, 3 drafts) three times over, and everything three times.
		{"a document", nil, [3]int{15, 27, 3 * (6 + 18 + 18 + 3 + 3*5)}},
		{"no document", func(c *council.Charter) { c.Output.Type = council.OutputNone },
			[3]int{11, 16, 3 * (6 + 18 + 3 + 3*2)}},
		{"no seconds, nothing to assess, no positions", func(c *council.Charter) {
			c.Output.Type, c.Deliberation.SealedPositions = council.OutputNone, false
			c.Phases[0].Governance.RequireSeconding, c.Phases[0].Deliverables = false, nil
		}, [3]int{7, 10, 3 * (3 + 12 + 3 + 3)}},
		{"no revision", func(c *council.Charter) { c.DocumentationReview.MaxRevisionRounds = 0 },
			[3]int{15, 20, 3 * (6 + 18 + 6 + 3 + 3*3)}},
	} {
		c := small
		c.Phases = append([]council.Phase{}, small.Phases...)
		if test.edit != nil {
			test.edit(&c)
		}
		check.Is(t, test.name, test.want, serverCalls(forecast(c)))
	}
}

func TestForecast_TheShortestAndTheLongestWayThroughThePhases(t *testing.T) {
	c := counciltest.Charter(3, 1, "http://127.0.0.1:1")
	c.Output.Type, c.Deliberation.SealedPositions = council.OutputNone, false
	// explore leads back to itself unless a motion carries, three times at most.
	c.Phases = c.Phases[:1]
	c.Phases[0].Transitions = []council.Transition{{To: "explore", When: council.TriggerRoundLimit}}
	c.SessionPolicy.MaxPhaseTransitions = 3
	got := serverCalls(forecast(c))
	// Least: 3 nominations, a motion, one second, 3 ballots, an assessment, a summary: shorter than four times 3
	// passes.
	check.Is(t, "at least calls", 3+1+1+3+1+1, got[0])
	if want := 3 * (3 + 4*(18+3) + 3 + 3); got[2] != want { // four visits
		t.Errorf("at most %d calls, want %d", got[2], want)
	}
}

func TestForecast_CostsAreOrderedAndUnknownWhereAPriceIs(t *testing.T) {
	c := counciltest.Charter(5, 3, "http://127.0.0.1:1")
	cached, written := 0.2, 2.5
	c.Prices = []council.Rate{{Provider: "openai-compatible", Model: "*", AsOf: "2026-11-21", Input: 2, Cached: &cached,
		CacheWrite: &written, Output: 10}}
	f := forecast(c)
	for i := range c.Members {
		least, usual, most := f.Least.Members[i], f.Usual.Members[i], f.Most.Members[i]
		check.That(t, (0 < least.Cost && least.Cost < usual.Cost && usual.Cost < most.Cost) && most.Known, "%s: %v, %v, %v",
			least.Member, least.Cost, usual.Cost, most.Cost)
		if !(0 < least.Usage.Tokens() && least.Usage.Tokens() < usual.Usage.Tokens() &&
			usual.Usage.Tokens() < most.Usage.Tokens()) {
			t.Errorf("%s: %d, %d, %d tokens", least.Member, least.Usage.Tokens(), usual.Usage.Tokens(), most.Usage.Tokens())
		}
	}
	c.Members[1].Model.Provider = "unheard-of"
	f = forecast(c)
	check.That(t, !f.Least.Members[1].Known && !f.Least.Total.Known && f.Least.Members[0].Known, "known: %+v", f.Least)
	c.Members[1].Model.Provider = "human"
	if f = forecast(c); !f.Most.Members[1].Known || f.Most.Members[1].Usage.Tokens() != 0 || f.Most.Members[1].Cost != 0 {
		t.Errorf("a person takes %+v", f.Most.Members[1])
	}
}

// A member that calls a tool answers with another call of its model, which the most did not hold.
func TestForecast_WhatMembersLookUpIsInTheMostAlone(t *testing.T) {
	c := counciltest.Charter(3, 1, "http://127.0.0.1:1")
	without := forecast(c)
	c.Members[1].Tools = &council.Tools{Workspace: &council.Workspace{}, MaxCalls: 4, MaxBytes: 1 << 10}
	with := forecast(c)
	questions := without.Most.Members[1].Usage.Calls / 3
	if got := with.Most.Members[1].Usage.Calls; got != 3*questions+4*questions {
		t.Errorf("at most %d calls for %d questions", got, questions)
	}
	if with.Most.Members[1].Usage.Tokens() <= without.Most.Members[1].Usage.Tokens()+int64(4*questions*4_000/3) {
		t.Errorf("at most %d tokens, and %d without tools", with.Most.Members[1].Usage.Tokens(),
			without.Most.Members[1].Usage.Tokens())
	}
	c.Members[1].Tools.MaxSessionCalls = 5
	got := forecast(c).Most.Members[1].Usage.Calls
	check.That(t, got == 3*questions+5, "at most %d calls, 5 of tools among them, for %d questions", got, questions)
	check.Equal(t, "the rest has changed", []any{without.Least, without.Usual, without.Most.Members[0]},
		[]any{with.Least, with.Usual, with.Most.Members[0]})
}

func TestForecast_OfTheLargestCouncilEnds(t *testing.T) {
	c := counciltest.Charter(charter.MaxMembers, charter.MaxRounds, "http://127.0.0.1:1")
	c.Phases = c.Phases[:1]
	c.Phases[0].Transitions = []council.Transition{{To: "explore", When: council.TriggerAlways}}
	c.SessionPolicy.MaxPhaseTransitions = 9
	f := forecast(c)
	if got := serverCalls(f); got[0] < 10*99 || got[1] < 20_000 || got[2] < 3*20_000 || f.Least.More || !f.Most.More {
		t.Errorf("%v calls, of more: %t, %t, %t", got, f.Least.More, f.Usual.More, f.Most.More)
	}
}

// A charter of any form is followed to the end of its session.
func TestForecast_RulesTakeEveryAssumedAnswer(t *testing.T) {
	for bits := range 1 << 11 {
		if bits%29 > 0 { // a prime, so that settings are mixed
			continue
		}
		set := func(i int) bool { return bits>>i&1 == 1 }
		c := counciltest.Charter(3, 2, "http://127.0.0.1:1")
		d, g, p := &c.Deliberation, council.Governance{MajorityThreshold: "2/3", CountOf: "cast"}, &c.Phases[1]
		d.SealedPositions, d.Stances, d.ContestedOnly = set(0) || set(1), set(1), set(1)
		d.ElectWithPositions = d.SealedPositions && set(2)
		g.RequireSeconding, g.Debate = set(3), set(4)
		if set(5) {
			g.MaxAmendments = 1
			c.Phases[0].Turns, p.StopConditions.MaxQuestions = council.TurnsRotate, 2
		}
		c.Phases[0].Governance, p.Governance = g, g
		if set(6) {
			p.Turns = council.TurnsTogether
		}
		if set(7) {
			c.Options = []string{"one", "two"}
		}
		if set(8) {
			c.Output.Type = council.OutputNone
		}
		p.StopConditions.EndOnMajorityVote = set(9)
		if set(10) {
			p.Transitions = []council.Transition{{To: "explore", When: council.TriggerRoundLimit}}
		}
		f := forecast(c)
		got := serverCalls(f)
		check.That(t, !f.Least.More && !f.Usual.More && !f.Most.More && got[0] != 0 && got[0] <= got[1] && 3*got[1] <= got[2],
			"%011b: %v calls, of more: %t, %t, %t", bits, got, f.Least.More, f.Usual.More, f.Most.More)
	}
}

// The longest prompt grows with the debate, up to the length at which a conversation starts anew.
func TestForecast_TheLongestPromptFollowsFromTheCharter(t *testing.T) {
	short, long, endless := counciltest.Charter(3, 1, ""), counciltest.Charter(3, 6, ""), counciltest.Charter(9, 60, "")
	a, b, c := budget.LongestPrompt(&short), budget.LongestPrompt(&long), budget.LongestPrompt(&endless)
	check.That(t, (a > 1_000 && b > a && c > b && c < 80_000), "%d, %d and %d tokens", a, b, c)
}
