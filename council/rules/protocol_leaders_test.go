package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// opened returns a council of five under the given session id, before its election.
func opened(t *testing.T, id council.SessionID) *floor {
	t.Helper()
	c := smallCharter()
	c.Members = append(c.Members, counciltest.Seats("dan", "eve")...)
	return begun(t, id, c)
}

func TestProtocolLeaders_ATieGoesByLot(t *testing.T) {
	cites(t, 10, 120)
	leaders := map[council.MemberID]bool{}
	for _, id := range []council.SessionID{"s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"} {
		f := opened(t, id)
		f.elect("bob", "cyn", "bob", "cyn", "eve")
		got := last[council.LeaderElected](f)
		tied, rest := byLot[council.MemberID](id, "election", "bob", "cyn"),
			byLot[council.MemberID](id, "election", "ada", "dan")
		want := slices.Concat(tied, []council.MemberID{"eve"}, rest)
		if diff := cmp.Diff(want, got.Ranking); diff != "" || !got.Tie || got.Leader != want[0] {
			t.Errorf("%s: %+v\n%s", id, got, diff)
		}
		leaders[got.Leader] = true
	}
	check.Is(t, "leaders by lot", 2, len(leaders))
	if got := byLot[council.MemberID]("s1", "election", "ada", "bob", "cyn"); !cmp.Equal(got,
		[]council.MemberID{"bob", "cyn", "ada"}) {
		t.Errorf("the lot is drawn otherwise than before: %v", got)
	}
}

func TestProtocolLeaders_TheSeconderIsDrawnByLot(t *testing.T) {
	cites(t, 23, 71, 120)
	first := map[council.MemberID]bool{}
	for _, id := range []council.SessionID{"s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"} {
		f := opened(t, id)
		f.elect("ada", "ada", "ada", "ada", "ada")
		f.move()
		order := byLot[council.MemberID](id, "p1.r1.t1", "bob", "cyn", "dan", "eve")
		var asked []council.MemberID
		for _, a := range f.s.Ready().Asks {
			asked = append(asked, a.Member)
		}
		check.Equal(t, fmt.Sprintf("%s: the order of seconds", id), order, asked)
		ask := func(i int) string { return "p1.r1.t1.second." + string(order[i]) }
		f.say(ask(3), council.Second{Second: true})
		f.say(ask(1), council.Second{Second: true})
		check.Is(t, id+": seconded early", 0, count(f, council.TypeOf[council.MotionSeconded]()))
		f.say(ask(0), council.Second{Second: false})
		check.Is(t, id+": seconder", order[1], last[council.MotionSeconded](f).Seconder)
		_, err := f.s.Answer(council.Reply{Ask: council.AskID(ask(2)), Body: council.Second{Second: true}})
		check.ErrorIs(t, id, rules.ErrNotPending, err)
		first[order[0]] = true
	}
	check.That(t, len(first) >= 3, "the same seats always come first: %v", first)
}

func TestProtocolLeaders_AFaultedSeconderIsNotAskedAgain(t *testing.T) {
	cites(t, 124)
	f := inRound(t, nil)
	f.move()
	ids := f.open()
	f.fault(ids[0], council.FaultUnparsable)
	f.wantOpen(ids[1])
	check.ErrorIs(t, "a second answer gave", rules.ErrNotPending,
		check.Err(f.s.Answer(council.Reply{Ask: council.AskID(ids[0]), Body: council.Second{Second: true}})))
	f.fault(ids[1], council.FaultRefusal)
	check.Is(t, "died", "p1.r1.t1", last[council.MotionDied](f).Motion)
	f.wantOpen("p1.r1.t2.turn.bob")
}

func TestProtocolLeaders_ALeaderIsReplacedForOneQuestion(t *testing.T) {
	cites(t, 12)
	f := inRound(t, func(c *council.Charter) {
		c.Output.Type, c.DocumentationReview.MaxRevisionRounds = council.OutputDocumentation, 1
		c.Phases[0].QualityGates = []string{"It is good."}
	})
	f.allPass()
	ranking := last[council.LeaderElected](f).Ranking
	for i, m := range ranking { // none can assess
		f.wantOpen("p1.assess." + string(m))
		f.fault("p1.assess."+string(m), council.FaultUnparsable)
		if i+1 < len(ranking) {
			want := council.LeaderSucceeded{From: m, To: ranking[i+1], Because: council.AskID("p1.assess." + string(m))}
			wantLast(f, want)
		}
	}
	f.wantOpen("summary.ada") // and yet the leader is asked for the summary
	f.fault("summary.ada", council.FaultRefusal)
	f.wantOpen("summary." + string(ranking[1]))
	f.summarise()
	f.wantOpen("d1.draft.ada") // and for the document
	f.fault("d1.draft.ada", council.FaultTruncated)
	f.draft("# One")
	f.ballots("nnn")
	for _, id := range f.open() {
		f.say(id, council.Review{CriticalBlockers: []council.Blocker{{Problem: "P"}}})
	}
	f.wantOpen("d2.draft.ada")
	check.Is(t, "leader", "ada", last[council.LeaderElected](f).Leader)
}

func TestProtocolLeaders_WhatNobodyWritesIsMissing(t *testing.T) {
	cites(t, 13)
	f := inRound(t, func(c *council.Charter) { c.Output.Type = council.OutputDocumentation })
	f.allPass()
	for range 3 {
		f.fault(f.open()[0], council.FaultRefusal)
	}
	f.wantOpen("d1.draft.ada")
	for range 3 {
		f.fault(f.open()[0], council.FaultRefusal)
	}
	got := f.outcome()
	check.That(t, !got.RequiresExecution && got.Documentation == council.DocumentationMissing && got.Leader == "ada" &&
		count(f, council.TypeOf[council.SummaryWritten]()) == 0, "got %+v", got)
}

func TestProtocolLeaders_ARoundThatNobodyAnswersEndsTheDebate(t *testing.T) {
	cites(t, 121)
	f := inRound(t, nil)
	f.contribute()
	f.fault(f.turn(), council.FaultRefusal)
	f.fault(f.turn(), council.FaultRefusal)
	check.Is(t, "ended though a member answered", 0, count(f, council.TypeOf[council.DebateClosed]()))
	for range 3 {
		f.fault(f.turn(), council.FaultUnparsable)
	}
	got := last[council.DebateClosed](f)
	check.That(t, got.Reason == council.EndUnanswered && !got.Reason.ByVote(), "got %+v", got)
	f.wantOpen("summary.ada")
}

func TestProtocolLeaders_ACouncilWithoutAUsablePositionIsSuspended(t *testing.T) {
	cites(t, 63, 122)
	f := convene(t, sealed)
	for _, id := range f.open() {
		f.fault(id, council.FaultUnparsable)
	}
	fault := f.s.Suspended()
	if fault == nil || fault.Kind != council.FaultUnusable || !fault.Kind.Curable() || len(f.open()) != 0 {
		t.Fatalf("suspended for %v, open %v", fault, f.open())
	}
	f.rule(council.SessionResumed{By: "me"})
	f.wantOpen("o2.position.ada", "o2.position.bob", "o2.position.cyn")
	for _, id := range f.open() {
		f.fault(id, council.FaultRefusal)
	}
	check.Is(t, "suspended without a position", true, f.s.Suspended() != nil)
	f.rule(council.SessionResumed{By: "me"})
	f.fault("o3.position.ada", council.FaultRefusal)
	f.fault("o3.position.cyn", council.FaultRefusal)
	f.say("o3.position.bob", council.Position{Position: "Yes.", Confidence: 1})
	wantLast(f, council.PositionsOpened{Sealed: 1, Absent: 2})
	check.OK(t, check.Err(rules.Replay(rules.Log(f.s.Events()...))))
}

func TestProtocolLeaders_AdjournedWithoutAUsablePositionItCloses(t *testing.T) {
	cites(t, 70, 122)
	f := convene(t, sealed)
	for _, id := range f.open() {
		f.fault(id, council.FaultEmpty)
	}
	f.rule(council.SessionAdjourned{By: "me", Reason: "No model answers."})
	check.Is(t, "end", council.SessionCutShort, f.outcome().Ended)
}

func TestProtocolLeaders_WithoutBlockersNothingIsRevised(t *testing.T) {
	cites(t, 53, 123)
	for name, review := range map[string]council.Review{"none": {},
		"suggestions alone": {SuggestedChanges: []string{"Shorter."}}} {
		f := inDraft(t, nil)
		f.draft("# One")
		f.ballots("ynn")
		f.say("d1.review.bob", review)
		f.fault("d1.review.cyn", council.FaultRefusal)
		f.wantOpen("dissent.ada")
		f.say("dissent.ada", council.Dissent{})
		if got := f.outcome(); got.Documentation != council.DocumentationUnapproved || got.Draft.Version != 1 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestProtocolLeaders_WhoAbstainedMayDissent(t *testing.T) {
	cites(t, 55)
	for votes, want := range map[string][]string{
		"yya": {"dissent.cyn"}, "yan": {"dissent.ada", "dissent.bob"}, "yny": {"dissent.bob"},
		"ya-": {"dissent.ada", "dissent.bob"}, "ynn": {"dissent.ada"},
	} {
		f := inRound(t, func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = 1 })
		f.moveAndVote(votes)
		for len(f.open()) == 1 && strings.Contains(f.open()[0], ".turn.") {
			f.pass()
		}
		f.summarise()
		check.Equal(t, votes, want, f.open())
	}
}

func TestProtocolLeaders_AVoteWithoutAQuorumWipesNoDissent(t *testing.T) {
	cites(t, 55, 125)
	f := inRound(t, func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = 1 })
	for _, votes := range []string{"ynn", "n--", "y--"} {
		f.moveAndVote(votes)
	}
	f.summarise()
	f.wantOpen("dissent.ada") // of the motion that was lost

	f = inDraft(t, nil)
	f.draft("# One")
	f.ballots("ynn")
	f.say("d1.review.bob", council.Review{CriticalBlockers: []council.Blocker{{Problem: "P"}}})
	f.say("d1.review.cyn", council.Review{})
	f.draft("# Two")
	f.ballots("n--")
	for len(f.open()) > 0 && strings.Contains(f.open()[0], ".review.") {
		f.say(f.open()[0], council.Review{})
	}
	f.wantOpen("dissent.ada") // of the draft that was lost
}
