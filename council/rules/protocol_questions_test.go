package rules_test

import (
	"slices"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func asking(c *council.Charter) { c.Phases[0].StopConditions.MaxQuestions = 3 }

// ask has the open turn put a question.
func (f *floor) asks(to council.MemberID) {
	f.Helper()
	f.say(f.turn(), council.Turn{Action: council.ActionAsk, To: to, Question: "How many?"})
}

func TestProtocolQuestions_ATurnMayAskAMemberWhoAnswersNext(t *testing.T) {
	cites(t, 16, 208, 209)
	f := inRound(t, asking)
	for name, bad := range map[string]council.Turn{
		"nobody": {Question: "Q?"}, "itself": {To: "ada", Question: "Q?"}, "a stranger": {To: "zoe", Question: "Q?"},
		"no question": {To: "cyn", Question: " "},
	} {
		t.Run(name, func(*testing.T) { bad.Action = council.ActionAsk; f.refused("p1.r1.t1.turn.ada", bad) })
	}
	f.asks("cyn")
	f.wantOpen("p1.r1.t1.reply.cyn")
	asked := f.s.View(f.ask("p1.r1.t1.reply.cyn")).Question
	want := &council.Question{By: "ada", To: "cyn", Text: "How many?", Seq: council.Seq(len(f.s.Events()))}
	same(t, want, asked)
	f.refused("p1.r1.t1.reply.cyn", council.Answer{})
	f.say("p1.r1.t1.reply.cyn", council.Answer{Answer: "Four."})
	f.wantOpen("p1.r1.t2.turn.bob")
	check.Is(t, "answer", "Four.", last[council.QuestionAnswered](f).Answer.Answer)
	f.asks("ada")
	f.say("p1.r1.t2.reply.ada", council.Answer{Answer: "Five."})
	f.asks("bob")
	f.say("p1.r1.t3.reply.bob", council.Answer{Answer: "Six."})
	f.refused("p1.r2.t1.turn.ada", council.Turn{Action: council.ActionAsk, To: "cyn", Question: "Again?"})
	none := inRound(t, nil)
	none.refused("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionAsk, To: "cyn", Question: "Q?"})
}

func TestProtocolQuestions_QuestionsAreCountedForEachVisit(t *testing.T) {
	cites(t, 208)
	f := inRound(t, func(c *council.Charter) {
		c.Phases = []council.Phase{phase("decide"), phase("again")}
		for i := range c.Phases {
			c.Phases[i].StopConditions = council.StopConditions{MaxRounds: 1, MaxQuestions: 1}
		}
		c.Phases[0].Transitions = []council.Transition{{To: "again", When: council.TriggerAlways}}
	})
	for range 2 {
		f.asks(map[bool]council.MemberID{true: "bob", false: "cyn"}[count(f, council.TypeOf[council.QuestionPut]()) == 0])
		f.say(f.open()[0], council.Answer{Answer: "A"})
		f.pass()
		f.pass()
	}
	check.Is(t, "answers", 2, count(f, council.TypeOf[council.QuestionAnswered]()))
}

func TestProtocolQuestions_AQuestionThatCannotBeAnsweredStaysUnanswered(t *testing.T) {
	cites(t, 210)
	f := inRound(t, asking)
	f.asks("cyn")
	f.fault("p1.r1.t1.reply.cyn", council.FaultRate)
	check.Is(t, "suspended by a fault that a later try may cure", true, f.s.Suspended() != nil)
	f.rule(council.SessionResumed{By: "test"})
	f.fault("p1.r1.t1.reply.cyn", council.FaultRefusal)
	f.wantOpen("p1.r1.t2.turn.bob")
	got := last[council.MemberFaulted](f)
	check.That(t, got.Kind == council.AskReply && got.Standing == council.StandingAbsent, "recorded %+v", got)
}

func TestProtocolQuestions_AQuestionToTheConvener(t *testing.T) {
	cites(t, 211)
	f := inRound(t, func(c *council.Charter) { asking(c); c.Deliberation.Convener = true })
	f.asks(council.Convener)
	f.wantOpen("p1.r1.t1.reply.convener")
	v := f.s.View(f.ask("p1.r1.t1.reply.convener"))
	check.That(t, v.Seat != nil && v.Seat.Model.Kind().Person && !slices.Contains(v.Seats, council.Convener),
		"asked %+v, seats %v", v.Seat, v.Seats)
	f.fault("p1.r1.t1.reply.convener", council.FaultAwaiting)
	check.Is(t, "suspended for the convener", true, f.s.Suspended() != nil)
	f.rule(council.SessionResumed{By: "test"})
	f.say("p1.r1.t1.reply.convener", council.Answer{Answer: "Ten thousand."})
	f.wantOpen("p1.r1.t2.turn.bob")
	cost, known := f.s.Charter().Cost(council.Convener, council.Usage{Calls: 1}, false)
	check.That(t, cost == 0 && known, "the answer cost %v, known: %v", cost, known)

	g := inRound(t, asking)
	g.asks(council.Convener)
	g.wantOpen("p1.r1.t2.turn.bob")
	check.That(t, last[council.QuestionPut](g).Unanswered, "a question to nobody is not recorded as unanswered")
	g.refused("p1.r1.t2.turn.bob", council.Turn{Action: council.ActionAsk, To: "Convener", Question: "Q?"})
}

func TestProtocolQuestions_ARoundWithAQuestionEndsNoDebate(t *testing.T) {
	cites(t, 212)
	for name, first := range map[string]func(*floor){
		"in which all others pass":    func(f *floor) { f.pass() },
		"in which nothing else comes": func(f *floor) { f.contribute() },
	} {
		t.Run(name, func(t *testing.T) {
			f := convene(t, func(c *council.Charter) {
				contestedOnly(c)
				c.Phases[0].StopConditions = council.StopConditions{MaxRounds: 3, MaxQuestions: 3}
			})
			f.seal("yes", "no", "")
			f.elect("ada", "ada", "ada")
			f.contribute()
			f.pass()
			f.pass()
			first(f)
			f.asks("cyn")
			f.say("p1.r2.t2.reply.cyn", council.Answer{Answer: "A"})
			f.pass()
			f.wantOpen("p1.r3.t1.turn.ada")
		})
	}
}

// several has motions carry in one round, with the votes given; the n-th replaces those named.
func several(t *testing.T, votes [3]string, supersedes [3][]council.MotionID) *floor {
	t.Helper()
	f := inRound(t, func(c *council.Charter) { c.Phases[0].StopConditions = council.StopConditions{MaxRounds: 1} })
	for i, title := range []string{"A", "B", "C"} {
		f.say(f.turn(), council.Turn{Action: council.ActionCallVote, MotionTitle: title, MotionText: "That we do.",
			DecisionIfPass: title, Supersedes: supersedes[i]})
		f.second("y")
		f.ballots(votes[i])
	}
	return f
}

func TestProtocolQuestions_AllMotionsCarriedStandInOrder(t *testing.T) {
	cites(t, 55, 107, 213, 215)
	f := several(t, [3]string{"yyn", "yyy", "nyy"}, [3][]council.MotionID{})
	want := []council.MotionID{"p1.r1.t1", "p1.r1.t2", "p1.r1.t3"}
	check.Equal(t, "resolved", want, last[council.PhaseEnded](f).Resolutions)
	f.say(f.open()[0], council.Summary{SummaryMarkdown: "S", RequiresExecution: true,
		ExecutionBrief: &council.Brief{Objective: "O", Motions: []string{"p1.r1.t1", "B", "p1.r1.t3"}}})
	f.wantOpen("dissent.ada", "dissent.cyn")
	f.say("dissent.ada", council.Dissent{})
	f.say("dissent.cyn", council.Dissent{})
	o := f.outcome()
	if got := o.Decisions(); !slices.Equal(got, []string{"A", "B", "C"}) || !slices.Equal(o.Executes, want) {
		t.Errorf("resolved %v, to be carried out %v", got, o.Executes)
	}
}

func TestProtocolQuestions_AMotionReplacesOthersThatStand(t *testing.T) {
	cites(t, 108, 214, 215)
	f := several(t, [3]string{"yyn", "yyy", "yyy"}, [3][]council.MotionID{2: {"p1.r1.t1"}})
	f.say(f.open()[0], council.Summary{SummaryMarkdown: "S", RequiresExecution: true,
		ExecutionBrief: &council.Brief{Objective: "O", Motions: []string{"p1.r1.t1"}}})
	o := f.outcome() // cyn, who was against the replaced motion, is asked for no dissent
	check.Equal(t, "resolved", []string{"B", "C"}, o.Decisions())
	check.Is(t, "a brief for a motion that was replaced", council.WithheldMotion, o.ExecutionWithheld)

	lost := several(t, [3]string{"yyy", "yyy", "nnn"}, [3][]council.MotionID{2: {"p1.r1.t1", "p1.r1.t2"}})
	check.Is(t, "resolutions after a motion that was lost", 2, len(last[council.PhaseEnded](lost).Resolutions))
	g := inRound(t, nil)
	g.refused("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: "X",
		DecisionIfPass: "D", Supersedes: []council.MotionID{"p1.r1.t9"}})
}
