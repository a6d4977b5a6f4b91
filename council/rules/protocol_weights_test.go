package rules_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/council/rules"
)

// byConfidence weighs votes on motions by confidence.
func byConfidence(c *council.Charter) {
	c.Phases[0].Governance = council.Governance{MajorityThreshold: 0.5, Weighting: council.WeightingConfidence}
}

// weigh votes in seat order: "y60" is a YES with a confidence of 60 percent; 'n', 'a', '?' and '-' as in ballots.
func (f *floor) weigh(votes string) {
	f.Helper()
	choices := map[byte]council.Choice{'y': council.ChoiceYes, 'n': council.ChoiceNo}
	for vote := range strings.FieldsSeq(votes) {
		percent, err := strconv.ParseFloat(vote[1:], 64)
		if err != nil {
			f.ballots(vote)
			continue
		}
		f.say(f.open()[0], council.Ballot{Rationale: "because", Ballot: choices[vote[0]], Confidence: new(percent / 100)})
	}
}

func TestAWeighedBallotStatesItsConfidence(t *testing.T) {
	cites(t, 100, 101)
	f := inRound(t, byConfidence)
	f.move()
	for name, confidence := range map[string]*float64{"none": nil, "too little": new(-0.01), "too much": new(1.01)} {
		for _, choice := range []council.Choice{council.ChoiceYes, council.ChoiceNo} {
			_, err := f.s.Answer(council.Reply{Ask: "p1.r1.t1.ballot.ada", Body: council.Ballot{Rationale: "R", Ballot: choice, Confidence: confidence}})
			if !errors.Is(err, council.ErrBadReply) {
				t.Errorf("%s, %s: %v", choice, name, err)
			}
		}
	}
	for _, test := range []struct {
		percent float64
		weight  int
	}{{0, 0}, {49, 0}, {50, 0}, {60, 405}, {75, 1099}, {90, 2197}, {99, 4595}, {100, 4595}} {
		e, err := f.s.Answer(council.Reply{Ask: "p1.r1.t1.ballot.ada", Body: council.Ballot{Rationale: "R", Ballot: council.ChoiceNo, Confidence: new(test.percent / 100)}})
		if err != nil {
			t.Fatal(err)
		}
		if p := e.Payload.(council.BallotCast); *p.Weight != test.weight || *p.Confidence != test.percent/100 {
			t.Errorf("%v %% is recorded as %v and weighs %d, not %d", test.percent, *p.Confidence, *p.Weight, test.weight)
		}
	}
	// An abstention has none to state, and one that it states all the same counts for nothing.
	f.say("p1.r1.t1.ballot.ada", council.Ballot{Rationale: "R", Ballot: council.ChoiceAbstain, Confidence: new(0.9)})
	if p := last[council.BallotCast](f); p.Confidence != nil || p.Weight != nil {
		t.Errorf("an abstention was recorded as %+v", p)
	}
}

func TestWithoutTheOptionNoConfidenceIsRecorded(t *testing.T) {
	cites(t, 100)
	for _, weighting := range []council.Weighting{"", council.WeightingEqual} {
		f := inRound(t, func(c *council.Charter) { c.Phases[0].Governance.Weighting = weighting })
		f.move()
		f.second("y")
		f.weigh("y60 y60 n90")
		if p := last[council.BallotCast](f); p.Confidence != nil || p.Weight != nil {
			t.Errorf("%+v", p)
		}
		if d := last[council.MotionDecided](f); d.Result != quorum.Carried || d.Weights != nil {
			t.Errorf("%+v", d)
		}
	}
}

func TestWeighedVotes(t *testing.T) {
	cites(t, 101, 102, 103)
	for name, test := range map[string]struct {
		votes      string
		threshold  float64
		quorum     int
		want       quorum.Result
		byHeads    quorum.Result
		count      quorum.Count
		weights    quorum.Weights
		needed, of int
	}{
		// 0.6 weighs 405, 0.7 weighs 847, 0.75 weighs 1099, 0.9 weighs 2197.
		"one that is sure against two that are not": {"y60 y60 n90", 0.5, 0, quorum.Lost, quorum.Carried,
			quorum.Count{Yes: 2, No: 1}, quorum.Weights{Yes: 810, No: 2197}, 1504, 3007},
		"one that is sure for it": {"n60 y90 n70", 0.5, 0, quorum.Carried, quorum.Lost,
			quorum.Count{Yes: 1, No: 2}, quorum.Weights{Yes: 2197, No: 1252}, 1725, 3449},
		"as the heads":   {"y60 y60 n60", 0.5, 0, quorum.Carried, quorum.Carried, quorum.Count{Yes: 2, No: 1}, quorum.Weights{Yes: 810, No: 405}, 608, 1215},
		"a tie":          {"y75 n75 a", 0.5, 0, quorum.Lost, quorum.Lost, quorum.Count{Yes: 1, No: 1, Abstain: 1}, quorum.Weights{Yes: 1099, No: 1099}, 1100, 2198},
		"nothing weighs": {"y50 y40 y0", 0.5, 0, quorum.Lost, quorum.Carried, quorum.Count{Yes: 3}, quorum.Weights{}, 1, 0},
		"under a half is no vote for the other side": {"y51 n10 n10", 0.5, 0, quorum.Carried, quorum.Lost,
			quorum.Count{Yes: 1, No: 2}, quorum.Weights{Yes: 40}, 21, 40},
		"two thirds of the weight":     {"y90 y60 n75", 0.67, 0, quorum.Carried, quorum.Lost, quorum.Count{Yes: 2, No: 1}, quorum.Weights{Yes: 2602, No: 1099}, 2480, 3701},
		"not two thirds of the weight": {"y90 n70 n60", 0.67, 0, quorum.Lost, quorum.Lost, quorum.Count{Yes: 1, No: 2}, quorum.Weights{Yes: 2197, No: 1252}, 2311, 3449},
		"all of the weight":            {"y90 y60 n50", 1, 0, quorum.Carried, quorum.Lost, quorum.Count{Yes: 2, No: 1}, quorum.Weights{Yes: 2602}, 2602, 2602},
		"heads make the quorum":        {"y99 ? -", 0.5, 0, quorum.NoQuorum, quorum.NoQuorum, quorum.Count{Yes: 1, Invalid: 1, Absent: 1}, quorum.Weights{Yes: 4595}, 2298, 4595},
		"a declared quorum of heads":   {"y99 y99 -", 0.5, 3, quorum.NoQuorum, quorum.NoQuorum, quorum.Count{Yes: 2, Absent: 1}, quorum.Weights{Yes: 9190}, 4596, 9190},
		"abstentions make a quorum":    {"y60 a a", 0.5, 3, quorum.Carried, quorum.Carried, quorum.Count{Yes: 1, Abstain: 2}, quorum.Weights{Yes: 405}, 203, 405},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, func(c *council.Charter) {
				byConfidence(c)
				c.Phases[0].Governance.MajorityThreshold, c.Phases[0].Governance.Quorum = test.threshold, test.quorum
			})
			f.move()
			f.weigh(test.votes)
			got := last[council.MotionDecided](f).Decision
			want := council.Decision{Result: test.want, Rule: got.Rule, Count: test.count, Weights: &test.weights, Needed: test.needed, Of: test.of}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if got.ByHeads() != test.byHeads {
				t.Errorf("by heads %s", got.ByHeads())
			}
			if again := got.Rule.Weigh(got.Count, *got.Weights); again != got.Result {
				t.Errorf("counted again: %s", again)
			}
		})
	}
}

// However clear it is, a weighed vote is not decided before all are heard: the last may weigh more than all before it.
func TestAWeighedVoteHearsEverybody(t *testing.T) {
	cites(t, 102)
	f := inRound(t, byConfidence)
	f.move()
	f.weigh("y90 y90")
	f.wantOpen("p1.r1.t1.ballot.cyn")
	f.weigh("n99")
	if got := last[council.MotionDecided](f); got.Result != quorum.Lost {
		t.Errorf("%+v", got) // 2197 + 2197 against 4595
	}
}

func TestAResolutionThatWasWeighedSaysSo(t *testing.T) {
	cites(t, 55, 103)
	f := inRound(t, byConfidence)
	f.move()
	f.weigh("n60 n60 y90")
	f.summarise()
	f.wantOpen("dissent.ada", "dissent.bob") // two of three heads, and the losing side
	f.say("dissent.ada", council.Dissent{})
	f.say("dissent.bob", council.Dissent{})
	want := &council.Resolution{Phase: "decide", Motion: "p1.r1.t1", Title: "T", Text: "That we do.", Decision: "We do.",
		Yes: 1, No: 2, Weights: &quorum.Weights{Yes: 2197, No: 810}}
	if diff := cmp.Diff(want, f.outcome().Resolution); diff != "" {
		t.Error(diff)
	}
}

func TestDraftsAreNotWeighed(t *testing.T) {
	cites(t, 104)
	f := inRound(t, func(c *council.Charter) {
		byConfidence(c)
		c.Output.Type = council.OutputDocumentation
	})
	f.move()
	f.weigh("y60 y60 y60")
	f.summarise()
	f.draft("# D")
	f.weigh("y60 y60 n99")
	got := last[council.DraftDecided](f)
	if got.Result != quorum.Carried || got.Weights != nil || got.Needed != 2 || got.Of != 3 {
		t.Errorf("%+v", got)
	}
	if p := last[council.BallotCast](f); p.Weight != nil || p.Confidence != nil {
		t.Errorf("%+v", p)
	}
}

func TestWhatCannotBeWeighedOpensNoSession(t *testing.T) {
	cites(t, 105)
	for pointer, spoil := range map[string]func(*council.Charter){
		"/phases/0/governance/abstainCountsAsNo": func(c *council.Charter) { c.Phases[0].Governance.AbstainCountsAsNo = true },
		"/phases/0/governance/weighting":         func(c *council.Charter) { c.Phases[0].Governance.Weighting = "money" },
		"/documentationReview/governance/weighting": func(c *council.Charter) {
			g := c.Phases[0].Governance
			c.DocumentationReview.Governance = &g
		},
	} {
		c := smallCharter()
		byConfidence(&c)
		if err := charter.Check(&c); err != nil {
			t.Fatal(err)
		}
		spoil(&c)
		_, err := rules.Open("s1", council.Topic{Text: "Shall we?"}, c)
		var problem *council.CharterError
		if !errors.As(err, &problem) || problem.Pointer != pointer {
			t.Errorf("%s: %v", pointer, err)
		}
	}
}

// A forged weight, on a ballot or in a sum, is not what the rules yield.
func TestAForgedWeightIsRefused(t *testing.T) {
	cites(t, 72, 103)
	f := inRound(t, byConfidence)
	f.move()
	f.weigh("y60 y60 n90")
	events := f.s.Events()
	for i, e := range events {
		var forged council.Payload
		switch p := e.Payload.(type) {
		case council.BallotCast:
			p.Weight = new(*p.Weight + 1)
			forged = p
		case council.MotionDecided:
			p.Weights = &quorum.Weights{Yes: 2197, No: 810}
			forged = p
		default:
			continue
		}
		log := append([]council.Event(nil), events...)
		log[i].Payload = forged
		if _, err := rules.Replay(rules.Log(log...)); !errors.Is(err, rules.ErrBadEvent) {
			t.Errorf("%s: %v", e.Type(), err)
		}
	}
}
