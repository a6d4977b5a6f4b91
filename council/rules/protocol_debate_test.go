package rules_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

func TestProtocolDebate_RoundsFollowTheTurnOrder(t *testing.T) {
	cites(t, 14, 15, 17)
	f := inRound(t, func(c *council.Charter) {
		c.Phases = []council.Phase{phase("other"), phase("decide")}
		c.Phases[1].Fallback = council.Fallback{Resolution: "R", Action: council.FallbackTransition,
			TransitionToPhaseID: "other"}
		c.TurnOrder = []council.MemberID{"cyn", "ada", "bob"}
	})
	check.Is(t, "the first phase is", "decide", last[council.PhaseStarted](f).Phase)
	f.wantOpen("p1.r1.t1.turn.cyn")
	f.contribute()
	f.wantOpen("p1.r1.t2.turn.ada")
	v := f.s.View(f.ask("p1.r1.t2.turn.ada"))
	check.Is(t, "ada's newest event is", council.TypeOf[council.ContributionMade](), v.Events[len(v.Events)-1].Type())
	f.contribute()
	f.wantOpen("p1.r1.t3.turn.bob")
	f.contribute()
	f.wantOpen("p1.r2.t1.turn.cyn")
}

func TestProtocolDebate_ATurnIsContributePassOrCallVote(t *testing.T) {
	cites(t, 16, 65)
	f := inRound(t, nil)
	for _, turn := range []council.Turn{
		{},
		{Action: "SHOUT", Message: "hey"},
		{Action: council.ActionContribute, Message: "  "},
		{Action: council.ActionCallVote, MotionTitle: "T", MotionText: "x"},
	} {
		f.refused("p1.r1.t1.turn.ada", turn)
	}
	for range 20 { // the error may go on record, so its words must not vary
		_, err := f.s.Answer(council.Reply{Ask: "p1.r1.t1.turn.ada", Body: council.Turn{Action: council.ActionCallVote}})
		if err == nil || !strings.HasSuffix(err.Error(), "motionTitle is empty") {
			t.Fatalf("a motion without any words gave %v", err)
		}
	}
}

func TestProtocolDebate_ARoundOfPassesEndsTheDebate(t *testing.T) {
	cites(t, 18)
	f := inRound(t, nil)
	f.pass()
	f.fault(f.turn(), council.FaultRefusal)
	f.pass()
	check.Is(t, "end", council.EndAllPassed, last[council.DebateClosed](f).Reason)
}

func TestProtocolDebate_RoundsAreLimited(t *testing.T) {
	cites(t, 19)
	f := inRound(t, nil)
	for range 5 {
		f.contribute()
	}
	f.pass()
	check.Is(t, "end", council.EndRoundLimit, last[council.DebateClosed](f).Reason)
	got := last[council.RoundStarted](f)
	check.That(t, got.Round == 2 && got.Of == 2, "got %+v", got)
}

func TestProtocolDebate_AbsenceIsNeitherPassNorSpeech(t *testing.T) {
	cites(t, 20, 64)
	f := inRound(t, nil)
	for range 3 {
		f.fault(f.turn(), council.FaultRefusal)
	}
	got := last[council.MemberFaulted](f)
	check.That(t, got.Standing == council.StandingAbsent && got.Kind == council.AskTurn, "got %+v", got)
}

func TestProtocolDebate_AMotionTakesTheMoversTurn(t *testing.T) {
	cites(t, 21, 22, 24)
	f := inRound(t, nil)
	f.move()
	f.wantOpen("p1.r1.t1.second.bob", "p1.r1.t1.second.cyn")
	f.second("nn")
	check.Is(t, "died", "p1.r1.t1", last[council.MotionDied](f).Motion)
	f.wantOpen("p1.r1.t2.turn.bob")
}

// Who seconded and could not vote has no ballot that a dissent could explain.
func TestProtocolDebate_ASecondIsNoBallot(t *testing.T) {
	cites(t, 28, 55)
	f := inRound(t, func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = 1 })
	f.move()
	seconder := string(f.ask(f.open()[0]).Member)
	f.second("y")
	for _, id := range f.open() {
		if strings.HasSuffix(id, "."+seconder) {
			f.fault(id, council.FaultRefusal)
			continue
		}
		f.say(id, council.Ballot{Ballot: council.ChoiceNo})
	}
	f.pass()
	f.pass()
	f.summarise()
	got := f.outcome()
	check.That(t, !got.Decided, "got %+v", got)
}

func TestProtocolDebate_EveryMotionIsCountedAnew(t *testing.T) {
	cites(t, 26, 34)
	f := inRound(t, nil)
	for _, vote := range []struct {
		ballots string
		want    quorum.Count
	}{{"ynn", quorum.Count{Yes: 1, No: 2}}, {"na?", quorum.Count{No: 1, Abstain: 1, Invalid: 1}},
		{"yy-", quorum.Count{Yes: 2, Absent: 1}}} {
		f.moveAndVote(vote.ballots)
		check.Is(t, vote.ballots, vote.want, last[council.MotionDecided](f).Count)
	}
}

func TestProtocolDebate_WithoutSecondingAMotionGoesToTheVote(t *testing.T) {
	cites(t, 25, 26)
	f := inRound(t, func(c *council.Charter) { c.Phases[0].Governance.RequireSeconding = false })
	f.move()
	f.wantOpen("p1.r1.t1.ballot.ada", "p1.r1.t1.ballot.bob", "p1.r1.t1.ballot.cyn")
	f.say("p1.r1.t1.ballot.cyn", council.Ballot{Ballot: council.ChoiceNo})
	for _, e := range f.s.View(f.ask("p1.r1.t1.ballot.ada")).Events {
		check.Is(t, "ada sees cyn's ballot", false, e.Type() == council.TypeOf[council.BallotCast]())
	}
}

func TestProtocolDebate_ABallotIsYesNoOrAbstain(t *testing.T) {
	cites(t, 27)
	f := inRound(t, nil)
	f.move()
	f.second("y")
	for _, choice := range []council.Choice{"", "yes", "MAYBE", "INVALID"} {
		f.refused("p1.r1.t1.ballot.ada", council.Ballot{Ballot: choice})
	}
}

// voteCase is one count of three or more ballots under one governance.
type voteCase struct {
	votes  string
	govern func(*council.Governance)
	want   quorum.Result
	count  quorum.Count
	needed int
	of     int
}

func TestVotes(t *testing.T) {
	cites(t, 28, 29, 30, 31, 32, 33, 34)
	neutral := func(g *council.Governance) { g.CountOf = quorum.Cast }
	present := func(g *council.Governance) { g.CountOf = quorum.Present }
	for name, test := range map[string]voteCase{
		"more than half":               {"yyn", nil, quorum.Carried, quorum.Count{Yes: 2, No: 1}, 2, 3},
		"less than half":               {"ynn", nil, quorum.Lost, quorum.Count{Yes: 1, No: 2}, 2, 3},
		"an abstention counts as no":   {"yaa", nil, quorum.Lost, quorum.Count{Yes: 1, Abstain: 2}, 2, 3},
		"an abstention counts nowhere": {"yaa", neutral, quorum.Carried, quorum.Count{Yes: 1, Abstain: 2}, 1, 1},
		"of those present":             {"yy-", present, quorum.Carried, quorum.Count{Yes: 2, Absent: 1}, 2, 2},
		"present is who abstains":      {"yna", present, quorum.Lost, quorum.Count{Yes: 1, No: 1, Abstain: 1}, 2, 3},
		"two thirds of three are two": {"yyn", func(g *council.Governance) { g.MajorityThreshold = "2/3" }, quorum.Carried,
			quorum.Count{Yes: 2, No: 1}, 2, 3},
		"a tie fails":             {"yna", neutral, quorum.Lost, quorum.Count{Yes: 1, No: 1, Abstain: 1}, 2, 2},
		"nobody says anything":    {"aaa", neutral, quorum.Lost, quorum.Count{Abstain: 3}, 1, 0},
		"invalid is not a ballot": {"y??", nil, quorum.NoQuorum, quorum.Count{Yes: 1, Invalid: 2}, 2, 3},
		"absent is not a ballot":  {"y--", neutral, quorum.NoQuorum, quorum.Count{Yes: 1, Absent: 2}, 1, 1},
		"invalid is not no":       {"yy?", neutral, quorum.Carried, quorum.Count{Yes: 2, Invalid: 1}, 2, 2},
		"a declared quorum": {"yy-", func(g *council.Governance) { g.Quorum = 3 }, quorum.NoQuorum,
			quorum.Count{Yes: 2, Absent: 1}, 2, 3},
		"0.67 is more than two thirds": {"yyn", func(g *council.Governance) { g.MajorityThreshold = "0.67" }, quorum.Lost,
			quorum.Count{Yes: 2, No: 1}, 3, 3},
		"unanimity": {"yyy", func(g *council.Governance) { g.MajorityThreshold = "1" }, quorum.Carried,
			quorum.Count{Yes: 3}, 3, 3},
		"a low bar does not beat no": {"ynn", func(g *council.Governance) { g.MajorityThreshold = "0.3" }, quorum.Lost,
			quorum.Count{Yes: 1, No: 2}, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, func(c *council.Charter) {
				if test.govern != nil {
					test.govern(&c.Phases[0].Governance)
				}
			})
			f.moveAndVote(test.votes)
			got := last[council.MotionDecided](f)
			want := council.Decision{Result: test.want, Rule: got.Rule, Count: test.count, Needed: test.needed, Of: test.of}
			same(t, want, got.Decision)
			check.That(t, got.Rule.Quorum >= 1 && got.Rule.CountOf != "", "the rule is not recorded whole: %+v", got.Rule)
			check.Is(t, "counted again", got.Result, got.Rule.Decide(got.Count))
		})
	}
}

func TestProtocolDebate_AMotionThatCarriesStandsAndTheRoundContinues(t *testing.T) {
	cites(t, 36)
	f := inRound(t, func(c *council.Charter) {
		c.Phases[0].StopConditions = council.StopConditions{MaxRounds: 1}
	})
	for _, votes := range []string{"yyy", "yyn", "ynn"} {
		f.moveAndVote(votes)
	}
	want := council.DebateClosed{Reason: council.EndRoundLimit, Resolutions: []council.MotionID{"p1.r1.t1", "p1.r1.t2"}}
	wantLast(f, want)
	f.summarise()
	f.wantOpen("dissent.cyn") // who voted against the resolution, not against the motion that was lost after it
}
