package rules_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// contestedOnly has every debate end when it is over.
func contestedOnly(c *council.Charter) {
	c.Deliberation = council.Deliberation{SealedPositions: true, Stances: true, ContestedOnly: true}
}

// seal has the seats seal stances in order; "?" before one means that the member is not sure, an empty one that it
// names none, "-" that it is absent.
func (f *floor) seal(stances ...string) {
	f.Helper()
	for i, named := range stances {
		ask := "position." + string(f.s.Charter().Seats()[i])
		if named == "-" {
			f.fault(ask, council.FaultRefusal)
			continue
		}
		words, unsure := strings.CutPrefix(named, "?")
		p := council.Position{Position: "Because.", Confidence: rules.MinConfidence, Stance: words}
		if unsure {
			p.Confidence = rules.MinConfidence - 0.01
		}
		f.say(ask, p)
	}
}

func (f *floor) says(text string) {
	f.Helper()
	f.say(f.turn(), council.Turn{Action: council.ActionContribute, Message: text})
}

func TestProtocolEarly_StancesAreRecordedWhereTheyAreAskedFor(t *testing.T) {
	cites(t, 86)
	f := convene(t, func(c *council.Charter) { c.Deliberation.SealedPositions, c.Deliberation.Stances = true, true })
	f.seal(strings.Repeat("ü", 201), "yes", "")
	if got := f.s.Events()[1].Payload.(council.PositionSealed); len([]rune(got.Stance)) != 200 || len(got.Shortened) != 1 {
		t.Errorf("a stance of 201 characters: %q", got.Stance)
	}
	got := last[council.PositionsOpened](f)
	check.That(t, !got.Agreed, "nobody asked whether they agree")
	f.elect("ada", "ada", "ada")
	f.move()
	f.second("y")
	f.say("p1.r1.t1.ballot.ada", council.Ballot{Rationale: "R", Ballot: council.ChoiceYes, Stance: "no"})
	check.Is(t, "the ballot names", "no", last[council.BallotCast](f).Stance)

	f = convene(t, func(c *council.Charter) { c.Deliberation.SealedPositions = true })
	f.seal("yes")
	check.Is(t, "nobody asked, and is on record", "", last[council.PositionSealed](f).Stance)
}

func TestProtocolEarly_PositionsAgreeWhenAllAreSureOfTheSame(t *testing.T) {
	cites(t, 87)
	for _, test := range []struct {
		stances []string
		agreed  bool
	}{
		{[]string{"Adopt NATS", "adopt nats.", "Adopt  NATS!"}, true},
		{[]string{"adopt", "adopt", "do not adopt"}, false},
		{[]string{"adopt", "?adopt", "adopt"}, false},
		{[]string{"?adopt", "adopt", "adopt"}, false},
		{[]string{"adopt", "adopt", "-"}, false},
		{[]string{"", "", ""}, false},
		{[]string{"adopt", "adopt", ""}, false},
	} {
		f := convene(t, contestedOnly)
		f.seal(test.stances...)
		check.Is(t, fmt.Sprintf("%q: agreed", test.stances), test.agreed, last[council.PositionsOpened](f).Agreed)
	}
}

func TestProtocolEarly_TheLeaderMovesAtOnceWhereNothingIsContested(t *testing.T) {
	cites(t, 88)
	for _, endOnVote := range []bool{true, false} {
		f := convene(t, func(c *council.Charter) {
			contestedOnly(c)
			c.Phases[0].StopConditions.EndOnMajorityVote = endOnVote
		})
		f.seal("yes", "yes", "yes")
		f.elect("cyn", "cyn", "cyn")
		f.wantOpen("p1.r1.t1.turn.cyn")
		f.moveAndVote("yyy")
		if got := last[council.DebateClosed](f); got.Reason != council.EndUncontested ||
			!slices.Equal(got.Resolutions, []council.MotionID{"p1.r1.t1"}) {
			t.Errorf("closed as %+v", got)
		}
		f.wantOpen("summary.cyn")
	}
}

func TestProtocolEarly_AVoteThatIsNotOfOneMindOpensTheDebate(t *testing.T) {
	cites(t, 89)
	for name, test := range map[string]struct {
		act  func(*floor)
		next string
	}{
		"lost":            {func(f *floor) { f.moveAndVote("ynn") }, "p1.r1.t2.turn.ada"},
		"died":            {func(f *floor) { f.move(); f.second("nn") }, "p1.r1.t2.turn.ada"},
		"carried with NO": {func(f *floor) { f.moveAndVote("yyn") }, "p1.r1.t2.turn.ada"},
		"an abstention":   {func(f *floor) { f.moveAndVote("yya") }, "p1.r1.t2.turn.ada"},
		"no motion":       {func(f *floor) { f.contribute() }, "p1.r1.t2.turn.ada"},
	} {
		t.Run(name, func(t *testing.T) {
			f := convene(t, func(c *council.Charter) {
				contestedOnly(c)
				c.Phases[0].StopConditions.EndOnMajorityVote = false
			})
			f.seal("yes", "yes", "yes")
			f.elect("bob", "bob", "bob")
			test.act(f)
			f.wantOpen(test.next)
			f.pass()
			f.wantOpen("p1.r1.t3.turn.cyn") // each seat has one turn, and the leader had its own
			f.pass()
			f.wantOpen("p1.r2.t1.turn.ada")
		})
	}
}

func TestProtocolEarly_ALaterPhaseBeginsWithTheLeaderWhileAllAreOfOneMind(t *testing.T) {
	cites(t, 88, 89)
	begin := func(seconds string) *floor {
		f := convene(t, func(c *council.Charter) {
			contestedOnly(c)
			c.Phases = append(c.Phases, phase("second"))
			c.Phases[0].Transitions = []council.Transition{{To: "second", When: council.TriggerAlways}}
		})
		f.seal("yes", "yes", "yes")
		f.elect("cyn", "cyn", "cyn")
		f.move()
		f.second(seconds)
		return f
	}
	f := begin("y")
	f.ballots("yyy")
	f.wantOpen("p2.r1.t1.turn.cyn")
	f = begin("y")
	f.ballots("yyn") // it carries, but not with every vote
	check.Is(t, "closed as", council.EndMajorityVote, last[council.DebateClosed](f).Reason)
	f.wantOpen("p2.r1.t1.turn.ada")
	f = begin("nn") // it dies
	for strings.HasPrefix(f.open()[0], "p1.") {
		f.pass()
	}
	f.wantOpen("p2.r1.t1.turn.ada")
}

func TestProtocolEarly_ARoundWithoutAnythingNewEndsTheDebate(t *testing.T) {
	cites(t, 90, 91)
	rounds := func(c *council.Charter) {
		contestedOnly(c)
		c.Phases[0].StopConditions.MaxRounds = 5
	}
	begin := func(edit func(*council.Charter)) *floor {
		f := convene(t, edit)
		f.seal("yes", "no", "")
		f.elect("ada", "ada", "ada")
		for range 3 {
			f.says("I think so, as e2 says.") // nothing but the same event, and the first round all the same
		}
		f.wantOpen("p1.r2.t1.turn.ada")
		return f
	}
	f := begin(rounds)
	check.Equal(t, "the first to cite e2", []string{"e2"}, f.s.Events()[12].Payload.(council.ContributionMade).Cites)
	f.says("Again, as e2 says.")
	f.pass()
	f.says("See e9999.") // which does not exist
	check.Is(t, "closed as", council.EndNothingNew, last[council.DebateClosed](f).Reason)
	f.wantOpen("summary.ada")

	for name, turn := range map[string]func(*floor){
		"something cited for the first time": func(f *floor) { f.says("But e3 says otherwise.") },
		"cited in a pass": func(f *floor) {
			f.say(f.turn(), council.Turn{Action: council.ActionPass, Reason: "See (e3)."})
		},
		"a motion": func(f *floor) { f.move(); f.second("nn") },
	} {
		f := begin(rounds)
		f.contribute()
		turn(f)
		f.contribute()
		open := f.open()
		check.That(t, len(open) == 1 && open[0] == "p1.r3.t1.turn.ada", "%s: open is %v", name, open)
	}
	f = begin(func(c *council.Charter) { rounds(c); c.Deliberation.ContestedOnly = false })
	for range 3 {
		f.contribute()
	}
	f.wantOpen("p1.r3.t1.turn.ada")
	check.That(t, f.s.Events()[12].Payload.(council.ContributionMade).Cites == nil, "nobody asked what is cited")
}

// TestProtocolEarly_EarlyStopsSave counts the questions to a council of five that agrees, with and without.
func TestProtocolEarly_EarlyStopsSave(t *testing.T) {
	run := func(stop bool) int {
		f := convene(t, func(c *council.Charter) {
			contestedOnly(c)
			c.Deliberation.ContestedOnly = stop
			c.Members = append(c.Members, counciltest.Seats("dan", "eve")...)
			c.Phases[0].StopConditions.MaxRounds = 3
		})
		f.seal("yes", "yes", "yes", "yes", "yes")
		f.elect("cyn", "cyn", "cyn", "cyn", "cyn")
		for strings.Contains(f.open()[0], ".turn.") {
			if f.turn() == "p1.r1.t1.turn.cyn" || strings.Contains(f.turn(), ".r2.") {
				f.moveAndVote("yyyyy")
				continue
			}
			f.contribute()
		}
		f.summarise()
		asked := 0
		for _, e := range f.s.Events() {
			if _, ok := e.Answered(); ok {
				asked++
			}
		}
		return asked
	}
	with, without := run(true), run(false)
	t.Logf("%s questions instead of %s", strconv.Itoa(with), strconv.Itoa(without))
	check.Is(t, "questions with early stops", 18, with)
	check.Is(t, "questions without", 23, without)
}
