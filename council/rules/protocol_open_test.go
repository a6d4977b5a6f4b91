package rules_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func TestAuto_AnOpenBallotThatChangesNothingIsAbsent(t *testing.T) {
	cites(t, 63, 251)
	five := func(c *council.Charter) {
		c.Members = append(c.Members, counciltest.Seats("dan", "eve")...)
		c.Deliberation.Seats = 5
		autoChoosing()(c)
	}
	f := convene(t, five)
	f.fault("position.ada", council.FaultRate)
	check.Is(t, "standing", council.StandingOpen, last[council.MemberFaulted](f).Standing)
	for m, option := range map[string]string{"bob": "NATS", "cyn": "NATS", "dan": "NATS", "eve": "Kafka"} {
		f.say("position."+m, council.Position{Position: "P", Confidence: 0.5, CandidateID: "bob", Ranking: ranks(option)})
	}
	check.Equal(t, "count", quorum.Count{Yes: 3, Abstain: 1, Absent: 1}, last[council.MotionDecided](f).Count)
	f.wantOpen("p1.r1.choice.rank.bob", "p1.r1.choice.rank.cyn", "p1.r1.choice.rank.dan", "p1.r1.choice.rank.eve")
	for _, id := range f.open() {
		f.say(id, council.Ranked{Rationale: "R", Ranking: ranks(map[bool]string{true: "Kafka",
			false: "NATS"}[strings.HasSuffix(id, "eve")])})
	}
	f.summarise()
	check.Is(t, "decision", "NATS", strings.Join(decisions(f), ", "))
}

func TestAuto_AnOpenBallotThatCouldDecideSuspends(t *testing.T) {
	cites(t, 251)
	f := convene(t, autoChoosing())
	f.fault("position.ada", council.FaultRate)
	f.say("position.bob", council.Position{Position: "P", Confidence: 0.5, CandidateID: "bob", Ranking: ranks("NATS")})
	f.say("position.cyn", council.Position{Position: "P", Confidence: 0.5, CandidateID: "bob", Ranking: ranks("Kafka")})
	check.Is(t, "suspended for", council.FaultRate, f.s.Suspended().Kind)
	f.rule(council.SessionResumed{By: "me"})
	f.wantOpen("position.ada")
	f.say("position.ada", council.Position{Position: "P", Confidence: 0.5, CandidateID: "bob", Ranking: ranks("NATS")})
	check.Equal(t, "count", quorum.Count{Yes: 2, Abstain: 1}, last[council.MotionDecided](f).Count)
}

func TestAuto_AnOpenBallotOnADraftThatIsApprovedAnyway(t *testing.T) {
	cites(t, 251)
	f := convene(t, func(c *council.Charter) {
		c.Output.Type, c.DocumentationReview.MaxRevisionRounds = council.OutputDocumentation, 0
		autoChoosing()(c)
	})
	f.positions("NATS", "NATS", "NATS")
	f.summarise()
	f.draft("# One")
	f.fault("d1.ballot.ada", council.FaultTransport)
	f.ballots("yy")
	check.Is(t, "document", council.DocumentationApproved, f.outcome().Documentation)
}

// Members that were not asked any more were not counted, and so an open ballot never could change anything.
func TestAuto_AnOpenBallotOnADraftCouldDecideBesideAMemberThatIsGone(t *testing.T) {
	cites(t, 251)
	f := convene(t, func(c *council.Charter) {
		c.Output.Type = council.OutputDocumentation
		autoChoosing()(c)
	})
	p := council.Position{Position: "P", Confidence: 0.5, CandidateID: "ada", Ranking: ranks("NATS")}
	f.say("position.ada", p)
	f.say("position.bob", p)
	f.fault("position.cyn", council.FaultRate)
	f.rank("NATS", "NATS")
	f.summarise()
	f.draft("# One")
	f.fault("d1.ballot.ada", council.FaultRate)
	f.ballots("y")
	if f.s.Suspended() == nil {
		t.Fatalf("the draft is decided without a ballot that could approve it: %+v", last[council.DraftDecided](f))
	}
}

// Once no member was asked for ballots any more, the session wanted nothing, and was never closed.
func TestAuto_EndsWhenEveryMemberIsGone(t *testing.T) {
	cites(t, 251)
	f := convene(t, func(c *council.Charter) {
		c.Phases[0].Governance.Quorum = 3
		c.Output.Type = council.OutputDocumentation
		autoChoosing()(c)
	})
	p := council.Position{Position: "P", Confidence: 0.5, CandidateID: "ada", Missing: "Redis"}
	f.say("position.ada", p) // an invalid ballot, so that there is no quorum
	p.Ranking = ranks("NATS")
	f.say("position.bob", p)
	f.fault("position.cyn", council.FaultRate)
	f.fault("p1.added.choice.rank.ada", council.FaultRate)
	f.fault("p1.added.choice.rank.bob", council.FaultRate)
	f.summarise()
	f.draft("# One")
	check.Is(t, "decided", false, f.outcome().Decided)
}

func TestAuto_APersonIsAwaited(t *testing.T) {
	cites(t, 251)
	f := convene(t, func(c *council.Charter) {
		c.Members[0].Model = council.Model{Provider: "human"}
		autoChoosing()(c)
	})
	f.fault("position.ada", council.FaultAwaiting)
	check.Is(t, "suspended for", council.FaultAwaiting, f.s.Suspended().Kind)
}
