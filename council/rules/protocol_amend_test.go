package rules_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// debated lets members debate a motion before the vote, and amend it twice.
func debated(c *council.Charter) {
	for i := range c.Phases {
		c.Phases[i].Governance.Debate, c.Phases[i].Governance.MaxAmendments = true, 2
	}
	c.Members = append(c.Members, counciltest.Seats("dan", "eve")...)
}

// inDebate returns a session of five in which ada moved and the others are asked for their stands.
func inDebate(t *testing.T, edit func(*council.Charter)) *floor {
	t.Helper()
	f := convene(t, func(c *council.Charter) {
		debated(c)
		if edit != nil {
			edit(c)
		}
	})
	f.elect("ada", "ada", "ada", "ada", "ada")
	f.moveTo("Adopt NATS in May", "That we adopt NATS in May, for a year.", "NATS is adopted in May.")
	return f
}

func (f *floor) moveTo(title, text, decision string) {
	f.Helper()
	f.say(f.turn(), council.Turn{Action: council.ActionCallVote, MotionTitle: title, MotionText: text,
		DecisionIfPass: decision})
}

// stand answers for all that are asked: those named with an amendment, the others with SUPPORT. It returns the ids of
// the amendments by their members.
func (f *floor) stand(amend map[string]council.Amendment) map[string]council.AmendmentID {
	f.Helper()
	for _, id := range f.open() {
		body := council.Second{Rationale: "because", Stand: council.StandSupport, Second: true}
		if a, ok := amend[id[strings.LastIndexByte(id, '.')+1:]]; ok {
			body.Stand, body.Amendment = council.StandAmend, &a
		}
		f.say(id, body)
	}
	ids := map[string]council.AmendmentID{}
	for _, e := range f.s.Events() {
		if p, ok := e.Payload.(council.SecondAnswered); ok && p.Amendment != nil {
			ids[string(e.Actor)] = council.AmendmentID(e.Seq.ID())
		}
	}
	return ids
}

// weigh answers for all on the amendments; members that are not named give an empty answer.
func (f *floor) weigh(motion string, said map[string]council.Amend) {
	f.Helper()
	for _, m := range f.s.Charter().Seats() {
		f.say(motion+".amend."+string(m), said[string(m)])
	}
}

func TestProtocolAmend_EverybodySaysWhereItStandsBeforeTheVote(t *testing.T) {
	cites(t, 182, 183)
	f := inDebate(t, nil)
	check.Is(t, "others asked", 4, len(f.open()))
	first := f.ask(f.open()[0])
	for range 3 {
		f.say(f.open()[0], council.Second{Rationale: "because", Stand: council.StandOppose, Second: true})
	}
	check.Is(t, "awaited although three seconded", 1, len(f.open()))
	for _, e := range f.s.View(f.ask(f.open()[0])).Events {
		if e.Sealed() && e.Type() == council.TypeOf[council.SecondAnswered]() {
			t.Error("the last one sees where the others stand")
		}
	}
	f.refused(f.open()[0], council.Second{Rationale: "because"})
	f.refused(f.open()[0], council.Second{Rationale: "because", Stand: "MAYBE", Second: true})
	f.refused(f.open()[0], council.Second{Rationale: "because", Stand: council.StandAmend, Second: true})
	f.say(f.open()[0], council.Second{Rationale: "because", Second: true}) // it seconds, and takes no side
	check.Is(t, "seconds, the first by lot", first.Member, last[council.MotionSeconded](f).Seconder)
	f.wantOpen("p1.r1.t1.ballot.ada", "p1.r1.t1.ballot.bob", "p1.r1.t1.ballot.cyn", "p1.r1.t1.ballot.dan",
		"p1.r1.t1.ballot.eve")
}

func TestProtocolAmend_WithoutSecondingTheDebateNamesNoSeconder(t *testing.T) {
	cites(t, 182, 183)
	f := inDebate(t, func(c *council.Charter) { c.Phases[0].Governance.RequireSeconding = false })
	f.stand(nil)
	check.Is(t, "seconder", "", last[council.MotionSeconded](f).Seconder)
	check.That(t, !last[council.SecondAnswered](f).Second.Second, "a second is recorded that nobody was asked for")
	check.Is(t, "is open", "p1.r1.t1.ballot.ada", f.open()[0])
}

func TestProtocolAmend_AMotionThatNobodySecondsIsNotAmended(t *testing.T) {
	cites(t, 24, 186)
	f := inDebate(t, nil)
	for _, id := range f.open() {
		f.say(id, council.Second{Stand: council.StandAmend, Amendment: &council.Amendment{Strike: "May", Insert: "June"}})
	}
	check.That(t, !last[council.MotionDied](f).Withdrawn, "it was not withdrawn")
	f.wantOpen("p1.r1.t2.turn.bob")
}

func TestProtocolAmend_AnAmendmentIsHeldAgainstTheMotion(t *testing.T) {
	cites(t, 184, 185)
	f := inDebate(t, nil)
	ask := f.open()[0]
	for problem, a := range map[string]council.Amendment{
		"do not stand":   {Strike: "Kafka", Insert: "NATS"},
		"do not stand ":  {Strike: "NAT", Insert: "Kafka"},
		"either words":   {Insert: "Kafka"},
		"either words ":  {Strike: "NATS", Substitute: &council.Wording{MotionTitle: "T", MotionText: "X"}},
		"nothing":        {Strike: "NATS", Insert: "NATS"},
		"without words":  {Strike: "NATS is adopted in May."},
		"without words ": {Substitute: &council.Wording{MotionTitle: "T"}},
		"longer":         {Strike: "NATS", Insert: strings.Repeat("x", 8_000)},
	} {
		_, err := f.s.Answer(council.Reply{Ask: council.AskID(ask),
			Body: council.Second{Stand: council.StandAmend, Amendment: &a, Second: true}})
		check.ErrorIs(t, "the amendment", council.ErrBadReply, err)
		check.Fails(t, "the amendment", err, strings.TrimSpace(problem))
	}
	w := council.Wording{MotionTitle: "The old bridge",
		MotionText: "We keep the old bridge, the old road, and the  old mill.", DecisionIfPass: "Keep what is old."}
	want := council.Wording{MotionTitle: "The bridge", MotionText: "We keep the bridge, the road, and the  mill.",
		DecisionIfPass: "Keep what is."}
	got, problem := w.Amended(council.Amendment{Strike: "old"})
	check.That(t, got == want && problem == "", "without an insert one space before the words goes: %+v, %s", got, problem)
	none := inDebate(t, func(c *council.Charter) { c.Phases[0].Governance.MaxAmendments = 0 })
	none.refused(none.open()[0],
		council.Second{Stand: council.StandAmend, Amendment: &council.Amendment{Strike: "May", Insert: "June"}})
}

func TestProtocolAmend_AChoiceIsDebatedAndNotAmended(t *testing.T) {
	cites(t, 184)
	f := convene(t, func(c *council.Charter) { debated(c); c.Phases[0].Governance.Choices = true })
	f.elect("ada", "ada", "ada", "ada", "ada")
	f.say(f.turn(), council.Turn{Action: council.ActionCallChoice, MotionTitle: "Which?", Options: queues})
	f.refused(f.open()[0],
		council.Second{Stand: council.StandAmend, Amendment: &council.Amendment{Strike: "NATS", Insert: "Redis"}})
	f.stand(nil)
	check.Is(t, "is open", "p1.r1.t1.rank.ada", f.open()[0])
}

func TestProtocolAmend_TheMoverAcceptsAndTheOthersSecondAmendments(t *testing.T) {
	cites(t, 186, 188, 189, 190)
	f := inDebate(t, nil)
	ids := f.stand(map[string]council.Amendment{
		"eve": {Strike: "for a year", Insert: "for two years"},
		"bob": {Strike: "May", Insert: "June"},
		"cyn": {Strike: "NATS", Insert: "Kafka"},
		"dan": {Strike: "adopt", Insert: "try"},
	})
	f.wantOpen("p1.r1.t1.amend.ada", "p1.r1.t1.amend.bob", "p1.r1.t1.amend.cyn", "p1.r1.t1.amend.dan",
		"p1.r1.t1.amend.eve")
	f.refused("p1.r1.t1.amend.bob", council.Amend{Amendments: []council.AmendmentID{ids["bob"]}})
	f.refused("p1.r1.t1.amend.bob", council.Amend{Amendments: []council.AmendmentID{"e1"}})
	f.weigh("p1.r1.t1", map[string]council.Amend{
		"ada": {Amendments: []council.AmendmentID{ids["eve"]}},
		"bob": {Amendments: []council.AmendmentID{ids["cyn"]}, Withdraw: true}, // which only the mover can
		"cyn": {Amendments: []council.AmendmentID{ids["bob"]}},
	})
	want := council.AmendmentsWeighed{Motion: "p1.r1.t1", Accepted: []council.AmendmentID{ids["eve"]},
		Put: []council.AmendmentID{ids["bob"], ids["cyn"]}}
	wantLast(f, want)
	check.Is(t, "the motion reads", "That we adopt NATS in May, for two years.", last[council.MotionAmended](f).MotionText)
	vote := "p1.r1.t1." + string(ids["bob"]) + ".ballot."
	f.wantOpen(vote+"ada", vote+"bob", vote+"cyn", vote+"dan", vote+"eve")
	v := f.s.View(f.ask(vote + "ada"))
	check.That(t, len(v.Proposed) == 1 && v.Proposed[0].Strike == "May" && strings.HasSuffix(v.Motion.Text, "two years."),
		"it is shown %+v on %+v", v.Proposed, v.Motion)
	f.ballots("yyynn")
	if got := last[council.BallotCast](f).Subject; got.Amendment != ids["bob"] || got.Motion != "" {
		t.Errorf("the ballots name %+v", got)
	}
	f.ballots("ynnnn")
	if got := last[council.AmendmentDecided](f); got.Amendment != ids["cyn"] || got.Vote.Result != quorum.Lost {
		t.Errorf("%+v", got)
	}
	f.ballots("yyyyy")
	f.summarise()
	got := f.outcome().Resolutions[0]
	check.That(t, got.Text == "That we adopt NATS in June, for two years." && got.Title == "Adopt NATS in June" &&
		got.Decision == "NATS is adopted in June." && got.Yes == 5, "it is resolved %+v", got)
}

func TestProtocolAmend_AtMostSoManyAmendmentsAreVotedOn(t *testing.T) {
	cites(t, 188)
	f := inDebate(t, func(c *council.Charter) { c.Phases[0].Governance.MaxAmendments = 1 })
	ids := f.stand(map[string]council.Amendment{
		"bob": {Strike: "May", Insert: "June"}, "cyn": {Strike: "May", Insert: "July"},
	})
	f.weigh("p1.r1.t1", map[string]council.Amend{"dan": {Amendments: []council.AmendmentID{ids["cyn"], ids["bob"]}}})
	got := last[council.AmendmentsWeighed](f).Put
	check.That(t, len(got) == 1 && got[0] == ids["bob"], "%v are put", got)
}

func TestProtocolAmend_AnAmendmentWithoutASecondDies(t *testing.T) {
	cites(t, 186, 188)
	f := inDebate(t, nil)
	ids := f.stand(map[string]council.Amendment{"bob": {Strike: "May", Insert: "June"}})
	f.fault("p1.r1.t1.amend.ada", council.FaultRefusal)
	for _, m := range []string{"bob", "cyn", "dan", "eve"} {
		f.say("p1.r1.t1.amend."+m, council.Amend{Rationale: "no"})
	}
	got := last[council.AmendmentsWeighed](f)
	check.That(t, got.Put == nil && got.Accepted == nil && ids["bob"] != "", "%+v", got)
	check.Is(t, "is open", "p1.r1.t1.ballot.ada", f.open()[0])
}

func TestProtocolAmend_TheMoverMayWithdraw(t *testing.T) {
	cites(t, 187)
	f := inDebate(t, nil)
	ids := f.stand(map[string]council.Amendment{"bob": {Strike: "May", Insert: "June"}})
	f.weigh("p1.r1.t1", map[string]council.Amend{
		"ada": {Withdraw: true}, "cyn": {Amendments: []council.AmendmentID{ids["bob"]}},
	})
	check.That(t, last[council.MotionDied](f).Withdrawn, "it is not recorded as withdrawn")
	f.wantOpen("p1.r1.t2.turn.bob")
	f.moveTo("Again", "That we adopt NATS in May, for a year.", "NATS is adopted in May.") // it was not lost
}

func TestProtocolAmend_AnAmendmentFallsWhenItsWordsAreGone(t *testing.T) {
	cites(t, 191)
	f := inDebate(t, nil)
	ids := f.stand(map[string]council.Amendment{
		"bob": {Strike: "May", Insert: "June"}, "cyn": {Strike: "in May", Insert: "at once"},
	})
	f.weigh("p1.r1.t1", map[string]council.Amend{"dan": {Amendments: []council.AmendmentID{ids["bob"], ids["cyn"]}}})
	f.ballots("yyyyy")
	got := last[council.AmendmentDecided](f)
	check.That(t, got.Amendment == ids["cyn"] && got.Vote == nil, "%+v", got)
	check.Is(t, "is open", "p1.r1.t1.ballot.ada", f.open()[0])
}

func TestProtocolAmend_AMotionThatWasLostIsNotMovedAgain(t *testing.T) {
	cites(t, 185, 191, 192)
	f := inDebate(t, func(c *council.Charter) { c.Phases[0].Governance.Choices = true })
	f.stand(nil)
	f.ballots("nnnnn")
	again := council.Turn{Action: council.ActionCallVote, MotionTitle: "Another title",
		MotionText: "that we adopt NATS in May - for a year", DecisionIfPass: "NATS is adopted, in May"}
	f.refused(f.turn(), again)
	f.moveTo("NATS in June", "That we adopt NATS in June, for a year.", "NATS is adopted in June.")
	f.refused(f.open()[0], council.Second{Stand: council.StandAmend,
		Amendment: &council.Amendment{Strike: "June", Insert: "May"}})
	ids := f.stand(map[string]council.Amendment{
		"ada": {Strike: "NATS in June", Insert: "Redis in May"}, "cyn": {Strike: "June", Insert: "March"},
	})
	f.weigh("p1.r1.t2", map[string]council.Amend{"bob": {Amendments: []council.AmendmentID{ids["cyn"]}}})
	f.ballots("nnnnn")
	f.refused(f.turn(), council.Turn{Action: council.ActionCallVote, MotionTitle: "T",
		MotionText: "That we adopt NATS in March, for a year.", DecisionIfPass: "NATS is adopted in March."})
	choice := council.Turn{Action: council.ActionCallChoice, MotionTitle: "Which queue?", Options: queues}
	f.say(f.turn(), choice)
	f.stand(nil)
	none := council.NoneOfThese
	f.rank(none, none, none, none, none)
	f.refused(f.turn(), council.Turn{Action: council.ActionCallChoice, MotionTitle: "Which, then?",
		Options: []string{"Keep Postgres", "nats", "KAFKA"}})
}

// Two amendments, each of which leaves a motion that was never voted on, may lead to one that was lost.
func TestProtocolAmend_AnAmendmentFallsThatWouldBringBackALostMotion(t *testing.T) {
	cites(t, 191)
	f := inDebate(t, nil)
	f.stand(nil)
	f.ballots("nnnnn")
	f.moveTo("Redis", "That we adopt Redis in June, for a year.", "Redis is adopted in June.")
	ids := f.stand(map[string]council.Amendment{
		"ada": {Strike: "Redis", Insert: "NATS"}, "cyn": {Strike: "June", Insert: "May"},
	})
	f.weigh("p1.r1.t2", map[string]council.Amend{"bob": {Amendments: []council.AmendmentID{ids["ada"], ids["cyn"]}}})
	got := last[council.AmendmentDecided](f)
	check.That(t, got.Amendment == ids["cyn"] && got.Vote == nil, "%+v", got)
}

// A vote without a quorum is not a loss.
func TestProtocolAmend_AMotionWithoutAQuorumMayBeMovedAgain(t *testing.T) {
	cites(t, 192)
	f := inRound(t, nil)
	f.moveAndVote("y--")
	f.move()
}
