package rules_test

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

func turning(how council.Turns) func(*council.Charter) {
	return func(c *council.Charter) { c.Phases[0].Turns = how }
}

// proposes has a member move a motion in a round that is held together.
func (f *floor) proposes(m, title string) {
	f.Helper()
	for _, id := range f.open() {
		if council.AskID(id).Member() == council.MemberID(m) {
			f.say(id, council.Turn{
				Action: council.ActionCallVote, MotionTitle: title, MotionText: "For " + title, DecisionIfPass: "We do " + title,
			})
			return
		}
	}
	f.Fatalf("%s has no turn, but %v", m, f.open())
}

func TestProtocolRounds_RotatingRoundsBeginWithEachMemberInTurn(t *testing.T) {
	cites(t, 196)
	f := inRound(t, func(c *council.Charter) {
		turning(council.TurnsRotate)(c)
		c.Phases[0].StopConditions.MaxRounds = 4
	})
	var order []council.MemberID
	for range 12 {
		order = append(order, council.AskID(f.turn()).Member())
		f.contribute()
	}
	same(t, []council.MemberID{"ada", "bob", "cyn", "bob", "cyn", "ada", "cyn", "ada", "bob", "ada", "bob", "cyn"}, order)
}

func TestProtocolRounds_TurnsTogetherAreBlindUntilAllAreIn(t *testing.T) {
	cites(t, 197, 74)
	f := inRound(t, turning(council.TurnsTogether))
	f.wantOpen("p1.r1.t1.turn.ada", "p1.r1.t2.turn.bob", "p1.r1.t3.turn.cyn")
	before := f.s.View(f.ask("p1.r1.t3.turn.cyn"))
	check.Is(t, "the turn is blind", true, before.Blind())
	f.say("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionContribute, Message: "Secret."})
	f.say("p1.r1.t2.turn.bob", council.Turn{Action: council.ActionPass, Reason: "Nothing."})
	check.Equal(t, "what cyn may know changed", before, f.s.View(f.ask("p1.r1.t3.turn.cyn")))
	for _, e := range f.s.Events()[len(f.s.Events())-2:] {
		check.Is(t, e.Seq.ID(), true, e.Sealed())
	}
	f.fault("p1.r1.t3.turn.cyn", council.FaultRefusal)
	check.Is(t, "the fault of cyn is sealed", true, f.s.Events()[len(f.s.Events())-3].Sealed())
	check.Is(t, "round was opened", 1, last[council.TurnsOpened](f).Round)
	f.wantOpen("p1.r2.t1.turn.ada", "p1.r2.t2.turn.bob", "p1.r2.t3.turn.cyn")
}

func TestProtocolRounds_ATogetherRoundTakesNoChoiceAndNoneBeginsWhileAllAgree(t *testing.T) {
	cites(t, 198)
	f := inRound(t, func(c *council.Charter) {
		turning(council.TurnsTogether)(c)
		c.Phases[0].Governance.Choices = true
	})
	f.refused("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionCallChoice, MotionTitle: "Which?", Options: queues})

	agreed := convene(t, func(c *council.Charter) {
		turning(council.TurnsTogether)(c)
		c.Deliberation = council.Deliberation{SealedPositions: true, Stances: true, ContestedOnly: true}
	})
	for _, m := range []string{"ada", "bob", "cyn"} {
		agreed.say("position."+m, council.Position{Position: "P", Confidence: 1, Stance: "yes"})
	}
	agreed.elect("bob", "bob", "bob")
	agreed.wantOpen("p1.r1.t1.turn.bob")
}

func TestProtocolRounds_OneMotionOfATogetherRoundGoesOnAsAny(t *testing.T) {
	cites(t, 199)
	f := inRound(t, turning(council.TurnsTogether))
	f.say("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionContribute, Message: "M"})
	f.proposes("bob", "this")
	f.say("p1.r1.t3.turn.cyn", council.Turn{Action: council.ActionPass, Reason: "R"})
	check.Is(t, "the motion is", "p1.r1.t2", last[council.MotionMade](f).Motion)
	f.second("y")
	f.ballots("nny")
	f.wantOpen("p1.r2.t1.turn.ada", "p1.r2.t2.turn.bob", "p1.r2.t3.turn.cyn")
}

func TestProtocolRounds_SeveralMotionsOfATogetherRoundAreOneChoice(t *testing.T) {
	cites(t, 199)
	f := inRound(t, turning(council.TurnsTogether))
	f.proposes("ada", "Adopt NATS")
	f.proposes("bob", "adopt  NATS.")
	f.proposes("cyn", "Wait")
	put := last[council.ChoicePut](f)
	check.Equal(t, "it", council.ChoicePut{
		Motion: "p1.r1.choice", Options: []string{"Adopt NATS", "adopt NATS. (motion 2)", "Wait"},
		Motions: []council.MotionID{"p1.r1.t1", "p1.r1.t2", "p1.r1.t3"},
	}, put)
	f.rank("Wait", "Wait > Adopt NATS", "adopt NATS. (motion 2)")
	check.Is(t, "end", council.EndMajorityVote, last[council.DebateClosed](f).Reason)
	f.say(f.open()[0], council.Summary{
		SummaryMarkdown: "S", RequiresExecution: true,
		ExecutionBrief: &council.Brief{Objective: "O", Motions: []string{"p1.r1.t3"}},
	})
	f.say("dissent.cyn", council.Dissent{})
	o := f.outcome()
	r := o.Resolutions[0]
	check.That(t, r.Title+r.Text+r.Decision == "WaitFor WaitWe do Wait" && r.Ranked, "%+v", r)
	check.Equal(t, "carried out", []council.MotionID{put.Motion}, o.Executes)
}

func TestProtocolRounds_AChoiceOfMotionsThatIsLostLeadsToTheNextRound(t *testing.T) {
	cites(t, 199)
	f := inRound(t, turning(council.TurnsTogether))
	f.proposes("ada", "Adopt NATS")
	f.proposes("bob", "Adopt Kafka")
	f.say("p1.r1.t3.turn.cyn", council.Turn{Action: council.ActionPass, Reason: "R"})
	f.rank("none of these", "none of these", "Adopt NATS")
	check.Is(t, "it is", quorum.Lost, last[council.MotionDecided](f).Result)
	f.wantOpen("p1.r2.t1.turn.ada", "p1.r2.t2.turn.bob", "p1.r2.t3.turn.cyn")
}

func TestProtocolRounds_PositionsMayElect(t *testing.T) {
	cites(t, 200)
	f := convene(t, func(c *council.Charter) {
		c.Deliberation.SealedPositions, c.Deliberation.ElectWithPositions = true, true
	})
	f.say("position.ada", council.Position{Position: "P", CandidateID: "bob"})
	f.say("position.bob", council.Position{Position: "Q", CandidateID: "Zeus"})
	f.fault("position.cyn", council.FaultRefusal)
	same(t, 2, last[council.PositionsOpened](f).Sealed)
	got := last[council.LeaderElected](f)
	check.That(t, got.Leader == "bob" && got.Invalid == 1 && got.Absent == 1, "%+v", got)
	f.wantOpen("p1.r1.t1.turn.ada")
}

// The charter knows a person by the id of the convener, and that person is no member.
func TestProtocolRounds_TheConvenerIsNoCandidateOfAPosition(t *testing.T) {
	cites(t, 200)
	f := convene(t, func(c *council.Charter) {
		c.Deliberation = council.Deliberation{SealedPositions: true, ElectWithPositions: true, Convener: true}
	})
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.say("position."+m, council.Position{Position: "P", CandidateID: council.Convener})
	}
	got := last[council.LeaderElected](f)
	check.That(t, got.Invalid == 3 && len(got.Votes) == 0, "%+v", got)
}

func TestProtocolRounds_ACandidateCountsOnlyWherePositionsElect(t *testing.T) {
	cites(t, 200)
	f := convene(t, func(c *council.Charter) { c.Deliberation.SealedPositions = true })
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.say("position."+m, council.Position{Position: "P", CandidateID: "bob"})
	}
	check.Is(t, "the position of cyn names", "", last[council.PositionSealed](f).CandidateID)
	f.elect("cyn", "cyn", "cyn")
	got := last[council.LeaderElected](f)
	check.That(t, got.Leader == "cyn" && got.Invalid == 0 && got.Absent == 0, "%+v", got)
}

func TestProtocolRounds_APaceIsKeptAsACharter(t *testing.T) {
	cites(t, 202)
	f := convene(t, func(c *council.Charter) {
		c.Phases = []council.Phase{phase("explore"), phase("decide")}
		c.SessionPolicy.EntryPhaseID = "explore"
		c.Phases[0].Transitions = []council.Transition{{To: "decide", When: council.TriggerAlways}}
		c.Deliberation.Pace = council.PaceQuick
		charter.SetPace(c)
	})
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.say("position."+m, council.Position{Position: "P", Confidence: 1, Stance: "yes", CandidateID: "bob"})
	}
	f.wantOpen("p1.r1.t1.turn.ada", "p1.r1.t2.turn.bob", "p1.r1.t3.turn.cyn")
	c := f.s.Charter()
	check.That(t, c.Deliberation.Pace == council.PaceQuick && len(c.Phases) == 1 && c.Phases[0].ID == "decide", "%+v", c)
}

// maxAsks returns an upper bound of the number of different asks in a session under a sound charter. A question that is
// put again after a suspension is the same ask.
func maxAsks(c *council.Charter) int {
	n := len(c.Members)
	visit := 0 // asks in the longest visit to a phase
	for _, phase := range c.Phases {
		turn := 1 + n // the turn, then a ballot of each
		if phase.Governance.RequireSeconding || phase.Governance.Debate {
			turn += n - 1
		}
		if phase.Governance.Amends() {
			turn += n + phase.Governance.MaxAmendments*n // the answers on them, and the ballots
		}
		ends := 1 + phase.StopConditions.MaxQuestions // one assessment, and answers
		if len(c.OptionsOf(&phase)) > 0 {
			ends += n // a choice
		}
		visit = max(visit, phase.StopConditions.MaxRounds*n*turn+ends)
	}
	total := n + (c.SessionPolicy.MaxPhaseTransitions+1)*visit + 1 // the election, the phases, the summary
	if c.Deliberation.SealedPositions {
		total += n
	}
	if c.Output.Type == council.OutputDocumentation {
		total += (c.DocumentationReview.MaxRevisionRounds + 1) * (1 + 2*n) // drafts with ballots and reviews
	}
	return total + n + n - 1 // dissents, then questions put again to a leader's successor
}

// askForms returns the form of the ids of each kind of question, as docs/events.md lists them.
var askForms = sync.OnceValue(func() map[council.AskKind]*regexp.Regexp {
	doc, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		panic(err)
	}
	motion := `p<visit>\.(?:r<round>\.(?:t<turn>|choice)|(?:added\.)?choice)`
	counts := regexp.MustCompile(`<(?:visit|round|turn|version|time|n)>`)
	forms := map[council.AskKind]*regexp.Regexp{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \| (.*<member>.*) \|$`).FindAllStringSubmatch(string(doc), -1) {
		var any []string
		for _, id := range regexp.MustCompile("`([^`]*<member>)`").FindAllStringSubmatch(row[2], -1) {
			form := strings.ReplaceAll(strings.ReplaceAll(id[1], ".", `\.`), "<motion>", motion)
			form = counts.ReplaceAllString(form, "[1-9][0-9]*")
			form = strings.NewReplacer("<event>", "e[0-9]+", "<id>", "[a-z0-9-]+", "<member>", "[a-z0-9_-]+").Replace(form)
			any = append(any, form)
		}
		forms[council.AskKind(row[1])] = regexp.MustCompile("^(?:" + strings.Join(any, "|") + ")$")
	}
	return forms
})

// The table of docs/events.md has the ids of every kind of question.
func TestTheTableOfIDs_HasEveryKind(t *testing.T) {
	for _, kind := range council.AskKinds() {
		check.That(t, askForms()[kind] != nil, "docs/events.md has no id of %s", kind)
	}
	id := "p1.choice.rank.ada"
	check.That(t, askForms()[council.AskRank].MatchString(id) && !askForms()[council.AskTurn].MatchString(id),
		"%s is not the id of a ranking alone", id)
}
