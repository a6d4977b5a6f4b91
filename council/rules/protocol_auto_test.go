package rules_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// auto sets the pace, as it is set before a session is opened. More members are spares.
func auto(spares ...council.MemberID) func(*council.Charter) {
	return func(c *council.Charter) {
		for _, m := range spares {
			c.Members = append(c.Members, counciltest.Seats(m)...)
		}
		c.Deliberation.Pace = council.PaceAuto
		charter.SetPace(c)
	}
}

func autoChoosing(spares ...council.MemberID) func(*council.Charter) {
	return func(c *council.Charter) {
		choosing(c)
		auto(spares...)(c)
	}
}

// positions seals the positions of the seats, whose stance or ranking is given, in seat order; "" is an absence.
func (f *floor) positions(held ...string) {
	f.Helper()
	for i, text := range held {
		id := "position." + string(f.s.Charter().Seats()[i])
		p := council.Position{Position: "Because of " + text, Confidence: 0.5, CandidateID: "ada", Stance: text}
		if len(f.s.Charter().Options) > 0 && text != "?" {
			p.Ranking = ranks(text)
		}
		if text == "" {
			f.fault(id, council.FaultRefusal)
		} else {
			f.say(id, p)
		}
	}
}

// propose has the leader propose answers, "NATS: ada bob" each, with a brief.
func (f *floor) propose(answers ...string) {
	f.Helper()
	f.say("p1.propose.ada", proposal(answers...))
}

func proposal(answers ...string) council.Answers {
	b := council.Answers{Crux: "Which is faster?", Text: "That we adopt it by May.", Summary: council.Summary{
		SummaryMarkdown: "Most wanted it.", RequiresExecution: true, ExecutionBrief: &council.Brief{Objective: "Adopt it"}}}
	for _, text := range answers {
		answer, by, _ := strings.Cut(text, ": ")
		one := council.Held{Answer: answer}
		for m := range strings.FieldsSeq(by) {
			one.HeldBy = append(one.HeldBy, council.MemberID(m))
		}
		b.Answers = append(b.Answers, one)
	}
	return b
}

func TestAuto_KeepsTheDecidingPhase(t *testing.T) {
	cites(t, 240)
	c := smallCharter()
	explore := phase("explore")
	explore.Deliverables = []council.Deliverable{{ID: "facts", Description: "What is known.", Required: true},
		{ID: "hints", Description: "What may help."}}
	c.Phases = []council.Phase{explore, phase("decide")}
	c.Phases[1].StopConditions.MaxRounds, c.Phases[1].Governance.CountOf = 5, quorum.Present
	c.SessionPolicy.EntryPhaseID = "explore"
	c.Output.Type, c.DocumentationReview.MaxRevisionRounds = council.OutputDocumentation, 3
	c.DocumentationReview.Sections = []string{"Answer"}
	c.Members = append(c.Members, counciltest.Seats("dan", "eve")...)
	c.Members[4].Model.Model = "other"
	c.Deliberation.Pace = council.PaceAuto
	charter.SetPace(&c)
	check.OK(t, charter.Check(&c))
	again := c
	charter.SetPace(&again)
	check.Equal(t, "charter after the pace was set twice", c, again)
	check.Is(t, "phases", 1, len(c.Phases))
	check.Equal(t, "guidance", []string{"To explore", "What is known."}, c.Phases[0].PromptGuidance)
	check.Equal(t, "sections", []string{"Answer", "Facts"}, c.DocumentationReview.Sections)
	check.Is(t, "revisions", 1, c.DocumentationReview.MaxRevisionRounds)
	check.Is(t, "rounds", 2, c.Phases[0].StopConditions.MaxRounds)
	check.Is(t, "count of", quorum.Members, c.Phases[0].Governance.CountOf)
	check.Equal(t, "seats", []council.MemberID{"ada", "bob", "cyn"}, c.Seats())
	check.Equal(t, "spares, other families first", []council.MemberID{"eve", "dan"}, c.Deliberation.Spares)

	c.Deliberation.Pace = council.PaceThorough
	charter.SetPace(&c)
	check.Is(t, "seats without spares", 5, len(c.Seats()))
}

// An answer that no position comes to was recorded with null for the list of its holders, which its schema forbids.
func TestAuto_AnAnswerThatNobodyHoldsHasAnEmptyList(t *testing.T) {
	cites(t, 241)
	f := convene(t, auto())
	f.positions("NATS", "NATS", "NATS")
	f.propose("NATS: ada bob cyn", "Kafka")
	check.Says(t, council.CompactJSON(last[council.AnswersProposed](f)), `{"answer":"Kafka","heldBy":[]}`)
}

// The outcome had no vote, or that of a ballot before, where the last ballot had too few that were valid.
func TestAuto_ABallotWithoutQuorumIsTheLastVote(t *testing.T) {
	f := convene(t, autoChoosing())
	f.positions("NATS", "Kafka", "NATS")
	f.rank("?", "?", "NATS")
	deciding := minutes.Of(f.s.Events()).Deciding
	check.Is(t, "votes", 1, len(deciding))
	check.Is(t, "result", minutes.MotionStatus(quorum.NoQuorum), deciding[0].Status)
}

// With a threshold of 0.3, one ballot of three decided, and an absence let an answer carry that had been lost.
func TestAuto_NeedsAMajorityUnderALowerThreshold(t *testing.T) {
	cites(t, 240)
	f := convene(t, func(c *council.Charter) {
		c.Phases[0].Governance.MajorityThreshold = "0.3"
		autoChoosing()(c)
	})
	f.positions("NATS", "Kafka", "NATS = Kafka")
	f.rank("NATS", "", "NATS = Kafka")
	f.summarise()
	check.Is(t, "decided", false, f.outcome().Decided)
}

func TestAuto_SeatsAWrittenQuorum(t *testing.T) {
	cites(t, 240)
	c := smallCharter()
	c.Members = append(c.Members, counciltest.Seats("dan", "eve")...)
	c.Phases[0].Governance.Quorum = 4
	c.Deliberation.Pace = council.PaceAuto
	charter.SetPace(&c)
	check.Is(t, "seats", 4, len(c.Seats()))
}

func TestAuto_DecidesByPositionsThatAgreeOnAnOption(t *testing.T) {
	cites(t, 243, 245)
	f := convene(t, autoChoosing())
	f.positions("NATS > Kafka", "NATS", "NATS > keep Postgres > Kafka")
	check.Is(t, "end of the debate", council.EndUncontested, last[council.DebateClosed](f).Reason)
	ballot := last[council.RankingCast](f)
	check.Is(t, "ballot repeats the position", true, ballot.From > 0 && ballot.Ask == "")
	f.wantOpen("summary.ada")
	f.summarise()
	check.Is(t, "decision", "NATS", decisions(f)[0])
}

func TestAuto_VotesOnTheAnswersOfThePositions(t *testing.T) {
	cites(t, 241, 243, 245, 249)
	f := convene(t, auto())
	f.positions("NATS", "nats", "Kafka")
	f.wantOpen("p1.propose.ada")
	for problem, bad := range map[string]council.Answers{
		"no answer":       proposal(),
		"a position less": proposal("NATS: ada bob"),
		"a position more": proposal("NATS: ada bob", "Kafka: cyn ada"),
		"a stranger":      proposal("NATS: ada bob", "Kafka: cyn dan"),
		"the order":       proposal("Kafka: cyn", "NATS: ada bob"),
		"the same answer": proposal("NATS: ada bob", "nats: cyn"),
		"six answers":     proposal("a: ada", "b: bob", "c: cyn", "d:", "e:", "f:"),
	} {
		t.Run(problem, func(t *testing.T) { f.refused("p1.propose.ada", bad) })
	}
	f.propose("NATS: ada bob", "Kafka: cyn")
	check.Equal(t, "options", []string{"NATS", "Kafka"}, last[council.ChoicePut](f).Options)
	f.rank("NATS", "NATS", "NATS > Kafka")
	o := f.outcome()
	check.Is(t, "decided", true, o.Decided)
	check.Is(t, "words", "That we adopt it by May.", o.Resolutions[0].Text)
	check.Is(t, "requires execution", true, o.RequiresExecution)
	summary := last[council.SummaryWritten](f)
	check.Is(t, "summary repeats the proposal", true, summary.From > 0 && summary.Ask == "")
	check.Equal(t, "brief names the choice", []string{string(o.Resolutions[0].Motion)}, summary.ExecutionBrief.Motions)
}

func TestAuto_ALongAnswerIsCut(t *testing.T) {
	cites(t, 142, 241)
	f := convene(t, auto())
	f.positions("NATS", "NATS", "NATS")
	f.propose(strings.Repeat("Move the queue to NATS. ", 9) + ": ada bob cyn")
	p := last[council.AnswersProposed](f)
	check.Is(t, "answer", strings.Repeat("Move the queue to NATS. ", 8)+"Move…", p.Answers.Answers[0].Answer)
	check.Is(t, "field that was cut", "answer", p.Shortened[0].Field)
}

func TestAuto_OneAnswerIsPutAgainstNone(t *testing.T) {
	cites(t, 243)
	f := convene(t, auto())
	f.positions("NATS", "NATS", "NATS")
	f.propose("NATS: ada bob cyn")
	f.rank("NATS", "NATS", "NATS")
	check.Is(t, "decided", true, f.outcome().Decided)
}

func TestAuto_AnotherAnswerHasASummaryOfItsOwn(t *testing.T) {
	cites(t, 249)
	f := convene(t, auto())
	f.positions("NATS", "nats", "Kafka")
	f.propose("NATS: ada bob", "Kafka: cyn")
	f.rank("Kafka", "Kafka", "Kafka")
	f.wantOpen("summary.ada")
	f.say("summary.ada", council.Summary{SummaryMarkdown: "S", RequiresExecution: true, ExecutionBrief: &council.Brief{
		Objective: "O", Motions: []string{"Kafka"}}})
	check.Is(t, "withheld", council.WithheldUnvoted, f.outcome().ExecutionWithheld)
	check.Is(t, "words", "", f.outcome().Resolutions[0].Text)
}

func TestAuto_StancesAreTheAnswersIfNobodyProposes(t *testing.T) {
	cites(t, 242)
	f := convene(t, auto())
	f.positions("Kafka", "NATS", "nats")
	for _, m := range []string{"ada", "bob", "cyn"} {
		for _, id := range f.open() {
			if strings.HasSuffix(id, m) {
				f.fault(id, council.FaultRefusal)
			}
		}
	}
	for f.open()[0] != "p1.choice.rank.ada" {
		f.fault(f.open()[0], council.FaultRefusal)
	}
	check.Equal(t, "options", []string{"NATS", "Kafka"}, last[council.ChoicePut](f).Options)
}

func TestAuto_RoundsAreOnTheDifference(t *testing.T) {
	cites(t, 244, 247)
	for _, test := range []struct {
		name    string
		ballots [][]string
		end     council.DebateEnd
		decided string
	}{
		{"agree in the round", [][]string{{"NATS", "NATS", "Kafka"}, {"NATS", "NATS", "NATS"}}, council.EndUncontested,
			"NATS"},
		{"stay two to one", [][]string{{"NATS", "NATS", "Kafka"}, {"NATS", "NATS", "Kafka"}}, council.EndMajorityVote,
			"NATS"},
		{"lose the majority", [][]string{{"NATS", "NATS", "Kafka"}, {"NATS", "Kafka", "keep Postgres"},
			{"NATS", "Kafka", "keep Postgres"}}, council.EndRoundLimit, ""},
		{"stay in a cycle", [][]string{{"NATS", "Kafka", "keep Postgres"}, {"NATS", "Kafka", "keep Postgres"}},
			council.EndRoundLimit, ""},
		{"move twice", [][]string{{"NATS", "Kafka", "keep Postgres"}, {"NATS", "Kafka", "NATS = Kafka"},
			{"NATS", "Kafka", "Kafka"}}, council.EndMajorityVote, "Kafka"},
		{"a seat that fails is absent, and its ballot has not changed", [][]string{{"NATS", "NATS", "Kafka"},
			{"NATS", "", "Kafka"}}, council.EndRoundLimit, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := convene(t, autoChoosing())
			f.positions(test.ballots[0]...)
			for _, ballots := range test.ballots[1:] {
				f.rank(ballots...)
			}
			f.wantOpen("summary.ada")
			check.Is(t, "end", test.end, last[council.DebateClosed](f).Reason)
			f.summarise()
			check.Is(t, "decisions", test.decided, strings.Join(decisions(f), ", "))
		})
	}
}

func decisions(f *floor) []string {
	f.Helper()
	o := f.outcome()
	return o.Decisions()
}

func TestAuto_AnUnclearPositionIsAnInvalidBallot(t *testing.T) {
	cites(t, 243)
	f := convene(t, autoChoosing())
	f.positions("NATS", "NATS", "?")
	d := last[council.MotionDecided](f)
	check.Equal(t, "count", quorum.Count{Yes: 2, Invalid: 1}, d.Count)
	check.Is(t, "over", 3, d.Of)
	f.wantOpen("p1.r1.choice.rank.ada", "p1.r1.choice.rank.bob", "p1.r1.choice.rank.cyn")
}

func TestAuto_AMissingAnswerIsAddedOnce(t *testing.T) {
	cites(t, 246)
	f := convene(t, autoChoosing())
	for i, m := range []string{"ada", "bob", "cyn"} {
		f.say("position."+m, council.Position{Position: "P", Confidence: 0.5, CandidateID: "ada", Ranking: ranks(queues[i]),
			Missing: []string{"RabbitMQ", "rabbitmq", "Redis"}[i]})
	}
	check.Equal(t, "options", append([]string{}, "NATS", "Kafka", "keep Postgres", "RabbitMQ"),
		last[council.ChoicePut](f).Options)
	f.wantOpen("p1.added.choice.rank.ada", "p1.added.choice.rank.bob", "p1.added.choice.rank.cyn")
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.say("p1.added.choice.rank."+m, council.Ranked{Rationale: "R", Ranking: ranks("RabbitMQ"), Missing: "Redis"})
	}
	f.wantOpen("summary.ada")
}

func TestAuto_SparesAreAskedOnceOfTheAnswersAlone(t *testing.T) {
	cites(t, 248)
	f := convene(t, autoChoosing("dan", "eve"))
	f.positions("NATS", "Kafka", "keep Postgres")
	f.rank("NATS", "Kafka", "keep Postgres")
	f.wantOpen("p1.spares.position.dan", "p1.spares.position.eve")
	v := f.s.View(f.ask("p1.spares.position.dan"))
	check.Is(t, "events that a spare sees", 1, len(v.Events))
	check.Equal(t, "options that it ranks", queues, v.Options)
	for _, m := range []string{"dan", "eve"} {
		f.say("p1.spares.position."+m, council.Position{Position: "P", Ranking: ranks("Kafka")})
	}
	d := last[council.MotionDecided](f)
	check.Equal(t, "count over all seats asked", quorum.Count{Yes: 3, Abstain: 2}, d.Count)
	check.Is(t, "of", 5, d.Of)
	f.summarise()
	check.Is(t, "decision", "Kafka", decisions(f)[0])
}

func TestAuto_TheReasonsOfBallotsAreDissents(t *testing.T) {
	cites(t, 250)
	f := convene(t, autoChoosing())
	f.positions("NATS", "NATS", "Kafka")
	f.rank("NATS", "NATS", "Kafka")
	f.summarise()
	d := last[council.DissentWritten](f)
	check.Is(t, "dissent", "So.", d.Dissent.Dissent)
	check.Is(t, "asked for", council.AskID(""), d.Ask)
}

func TestAuto_TheBlockersOfBallotsAreReviews(t *testing.T) {
	cites(t, 250)
	f := convene(t, func(c *council.Charter) {
		c.Output.Type, c.DocumentationReview.MaxRevisionRounds = council.OutputDocumentation, 1
		autoChoosing()(c)
	})
	f.positions("NATS", "NATS", "NATS")
	f.summarise()
	f.draft("# One")
	blocker := council.Blocker{ID: "b1", Section: "S", Problem: "No costs.", RequiredChange: "Name them.",
		Severity: "high"}
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.say("d1.ballot."+m, council.Ballot{Rationale: "R", Ballot: council.ChoiceNo,
			CriticalBlockers: []council.Blocker{blocker}})
	}
	f.wantOpen("d2.draft.ada")
	check.Is(t, "blocker", "d1.cyn.b1", last[council.ReviewGiven](f).CriticalBlockers[0].ID)
	f.draft("# Two", council.BlockerResponse{BlockerID: "d1.ada.b1", Answer: council.AnswerAccepted})
	for _, m := range []string{"ada", "bob"} {
		f.say("d2.ballot."+m, council.Ballot{Rationale: "R", Ballot: council.ChoiceYes})
	}
	f.say("d2.ballot.cyn", council.Ballot{Rationale: "Still none.", Ballot: council.ChoiceNo,
		CriticalBlockers: []council.Blocker{blocker}})
	check.Is(t, "document", council.DocumentationApproved, f.outcome().Documentation)
	d := last[council.DissentWritten](f)
	check.Is(t, "dissent", "Still none.", d.Dissent.Dissent)
	check.Is(t, "left open", "d2.cyn.b1", d.CriticalBlockers[0].ID)
}
