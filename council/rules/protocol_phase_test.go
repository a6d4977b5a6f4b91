package rules_test

import (
	"strconv"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// allPass ends the debate of the phase under way without a resolution.
func (f *floor) allPass() {
	f.Helper()
	for range f.s.Charter().Seats() {
		f.pass()
	}
}

// carry ends the debate of the phase under way by a vote.
func (f *floor) carry() {
	f.Helper()
	f.moveAndVote("yyy")
}

func demanding(c *council.Charter) {
	p := &c.Phases[0]
	p.Deliverables = []council.Deliverable{
		{ID: "options", Description: "Options", Required: true},
		{ID: "extra", Description: "More"},
	}
	p.QualityGates = []string{"Costs are named"}
	p.EvidenceRequirements = council.EvidenceRequirements{MinCitations: 2, RequireExplicitAssumptions: true,
		RequireRiskRegister: true}
}

func TestProtocolPhase_APhaseThatDeclaresNothingIsNotAssessed(t *testing.T) {
	cites(t, 37)
	f := inRound(t, nil)
	f.allPass()
	f.wantOpen("summary.ada")
	got := last[council.PhaseEnded](f)
	check.That(t, !got.Assessed && got.Missing == nil, "got %+v", got)
}

func TestProtocolPhase_TheLeaderAssessesAPhase(t *testing.T) {
	cites(t, 37, 38)
	f := inRound(t, demanding)
	f.allPass()
	f.wantOpen("p1.assess.ada")
	f.say("p1.assess.ada", council.Assessment{
		Deliverables: []council.Claim{{ID: "options", Met: true, Claim: "Done.", Citations: []string{"e1", "E2"}}},
		QualityGates: []council.Claim{{ID: "costs are named", Met: true, Citations: []string{"e3"}}},
		Assumptions:  []string{"It rains."}, Risks: []council.Risk{{Risk: "Flood", Mitigation: "Boats"}},
	})
	want := council.PhaseEnded{
		Phase: "decide", Reason: council.EndAllPassed, Assessed: true, Fallback: "Nothing was resolved.",
		Deliverables: []council.Finding{
			{ID: "options", Required: true, Status: council.FindingComplete, Citations: []string{"e1", "E2"}},
			{ID: "extra", Status: council.FindingMissing},
		},
		QualityGates: []council.Finding{
			{ID: "Costs are named", Required: true, Status: council.FindingComplete, Citations: []string{"e3"}},
		},
	}
	wantLast(f, want)
}

func TestProtocolPhase_WhatIsNotShownIsMissing(t *testing.T) {
	cites(t, 38, 39, 40)
	f := inRound(t, demanding)
	f.allPass()
	f.say("p1.assess.ada", council.Assessment{
		Deliverables: []council.Claim{
			{ID: "options", Met: true, Claim: "Done.", Citations: []string{"e999", "README.md:1", "e999"}},
		},
		QualityGates: []council.Claim{{ID: "gate-1", Met: false, Citations: []string{"e1"}}},
	})
	got := last[council.PhaseEnded](f)
	want := []string{"deliverable options", "quality gate: Costs are named", "citations: 1 of 2", "explicit assumptions",
		"risk register"}
	same(t, want, got.Missing)
	same(t, []string{"e999", "README.md:1"}, got.BadCites)
}

func TestProtocolPhase_AnAssessmentNobodyGivesShowsNothing(t *testing.T) {
	cites(t, 13, 39)
	f := inRound(t, demanding)
	f.allPass()
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.fault("p1.assess."+m, council.FaultRefusal)
	}
	got := last[council.PhaseEnded](f)
	check.That(t, !got.Assessed && len(got.Missing) == 5, "got %+v", got)
}

// walk has an entry phase with the given transitions and fallback, and the phases a, b and c to go to.
func walk(fallback council.Fallback, transitions ...council.Transition) func(*council.Charter) {
	return func(c *council.Charter) {
		c.Phases = []council.Phase{phase("decide"), phase("a"), phase("b"), phase("c")}
		c.Phases[0].Transitions = transitions
		c.Phases[0].Fallback = fallback
		// Everything is reachable through c's fallback.
		for i, next := range []council.PhaseID{"b", "c", "a"} {
			c.Phases[i+1].Fallback = council.Fallback{Resolution: "R", Action: council.FallbackTransition,
				TransitionToPhaseID: next}
		}
	}
}

func TestTransitions(t *testing.T) {
	cites(t, 41, 42, 43, 44, 45)
	toA := council.Fallback{Resolution: "Fell back.", Action: council.FallbackTransition, TransitionToPhaseID: "a"}
	voted := func(to council.PhaseID, priority int) council.Transition {
		return council.Transition{To: to, When: council.TriggerMajorityVote, Priority: priority, Reason: "voted"}
	}
	limit := council.Transition{To: "b", When: council.TriggerRoundLimit, Priority: 1}
	always := council.Transition{To: "c", When: council.TriggerAlways, Priority: 2}
	for name, test := range map[string]struct {
		transitions []council.Transition
		end         func(*floor)
		want        council.PhaseID
		via         council.Trigger
		viaFallback bool
	}{
		"a vote matches MAJORITY_VOTE": {[]council.Transition{limit, voted("a", 5)}, (*floor).carry, "a",
			council.TriggerMajorityVote, false},
		"lower priority first": {[]council.Transition{voted("a", 5), always}, (*floor).carry, "c",
			council.TriggerAlways, false},
		"among equals the first": {[]council.Transition{voted("b", 2), always}, (*floor).carry, "b",
			council.TriggerMajorityVote, false},
		"no vote matches ROUND_LIMIT": {[]council.Transition{voted("a", 0), limit}, (*floor).allPass, "b",
			council.TriggerRoundLimit, false},
		"no match and no resolution falls back": {[]council.Transition{voted("b", 0)}, (*floor).allPass, "a", "", true},
		"no match with a resolution is the end": {[]council.Transition{limit}, (*floor).carry, "", "", false},
		"ALWAYS matches without a resolution too": {[]council.Transition{always}, (*floor).allPass, "c",
			council.TriggerAlways, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, walk(toA, test.transitions...))
			test.end(f)
			got := last[council.PhaseEnded](f)
			check.That(t, got.Next == test.want && got.Via == test.via && got.ViaFallback == test.viaFallback,
				"went to %q via %q (fallback %v)", got.Next, got.Via, got.ViaFallback)
			check.That(t, (got.Resolutions == nil) == (got.Fallback == "Fell back."), "resolutions %q, fallback %q",
				got.Resolutions, got.Fallback)
		})
	}
}

func TestProtocolPhase_TransitionsAreLimited(t *testing.T) {
	cites(t, 46)
	f := inRound(t, func(c *council.Charter) {
		c.SessionPolicy.MaxPhaseTransitions = 2
		c.Phases[0].Transitions = []council.Transition{{To: "decide", When: council.TriggerAlways}}
	})
	f.allPass()
	f.allPass()
	f.allPass()
	got := last[council.PhaseEnded](f)
	check.That(t, got.LimitReached && got.Next == "" && got.Via == "", "got %+v", got)
	check.Is(t, "visits", 3, count(f, council.TypeOf[council.PhaseStarted]()))
	f.wantOpen("summary.ada")
}

// Resolutions, votes and the assessment end with their phase: the next begins with nothing.
func TestProtocolPhase_APhaseBeginsWithNothing(t *testing.T) {
	cites(t, 36, 37, 39, 41, 42)
	f := inRound(t, func(c *council.Charter) {
		onward(c)
		demanding(c)
		demanded := c.Phases[0].Deliverables
		c.Phases[1].Deliverables, c.Phases[1].Transitions = demanded, []council.Transition{
			{To: "decide", When: council.TriggerMajorityVote},
		}
	})
	f.carry()
	cited := "e" + strconv.Itoa(len(f.s.Events()))
	claims := council.Assessment{}
	for _, d := range f.s.Charter().Phases[0].Deliverables {
		claims.Deliverables = append(
			claims.Deliverables,
			council.Claim{ID: d.ID, Claim: "Met.", Citations: []string{cited}, Met: true},
		)
	}
	f.say("p1.assess.ada", claims)
	if end := last[council.PhaseEnded](f); len(end.Resolutions) == 0 ||
		end.Deliverables[0].Status != council.FindingComplete {
		t.Fatalf("the first phase came to %+v", end)
	}
	for range 3 {
		f.pass()
	}
	for _, leader := range []string{"ada", "bob", "cyn"} {
		f.fault("p2.assess."+leader, council.FaultRefusal)
	}
	end := last[council.PhaseEnded](f)
	check.That(t, end.Resolutions == nil && end.Fallback != "" && end.Next == "" && !end.Assessed &&
		end.Deliverables[0].Status == council.FindingMissing, "the second phase, in which nothing happened, came to %+v", end)
	closed := last[council.DebateClosed](f)
	check.That(t, closed.Resolutions == nil, "its debate resolved %s", closed.Resolutions)
}
