package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

func TestProtocolEnds_TheBaselineIsTheVoteOnTheSealedPositions(t *testing.T) {
	cites(t, 218, 219)
	stances := func(c *council.Charter) { c.Deliberation.SealedPositions, c.Deliberation.Stances = true, true }
	for name, test := range map[string]struct {
		sealed []string
		held   [][]council.MemberID
		want   quorum.Result
		yes    int
	}{
		"two agree": {[]string{"Yes!", "no", "yes"}, [][]council.MemberID{{"ada", "cyn"}, {"bob"}}, quorum.Carried,
			2},
		"nobody agrees":      {[]string{"a", "b", "c"}, [][]council.MemberID{{"ada"}, {"bob"}, {"cyn"}}, quorum.Lost, 1},
		"one names none":     {[]string{"a", "", "c"}, [][]council.MemberID{{"ada"}, {"cyn"}}, quorum.Lost, 1},
		"too few positions":  {[]string{"a", "-", "-"}, [][]council.MemberID{{"ada"}}, quorum.NoQuorum, 1},
		"an absence and two": {[]string{"a", "-", "a"}, [][]council.MemberID{{"ada", "cyn"}}, quorum.Carried, 2},
	} {
		f := convene(t, stances)
		f.seal(test.sealed...)
		got := last[council.Baseline](f)
		if diff := cmp.Diff(test.held, got.Held); diff != "" || got.Result != test.want || got.Count.Yes != test.yes {
			t.Errorf("%s: %s with %+v\n%s", name, got.Result, got.Count, diff)
		}
		f.wantOpen("nominate.ada", "nominate.bob", "nominate.cyn")
	}
	f := convene(t, stances)
	f.seal("", "", "")
	f.wantOpen("nominate.ada", "nominate.bob", "nominate.cyn")
	for _, e := range f.s.Events() {
		check.That(t, e.Type() != "BASELINE", "no position names an answer")
	}
}

func TestProtocolEnds_TheBaselineOfOptionsCountsTheirRankings(t *testing.T) {
	cites(t, 218)
	f := convene(t, func(c *council.Charter) {
		choosing(c)
		c.Deliberation.SealedPositions = true
	})
	for i, text := range []string{"NATS > Kafka", "Kafka > NATS", "Kafka"} {
		f.say("position."+string(f.s.Charter().Seats()[i]), council.Position{Position: "P", Ranking: ranks(text)})
	}
	none := convene(t, func(c *council.Charter) {
		choosing(c)
		c.Deliberation.SealedPositions = true
	})
	for _, id := range none.open() {
		none.say(id, council.Position{Position: "P"})
	}
	check.Is(t, "no position ranks an option, and there are baselines", 0, count(none, council.TypeOf[council.Baseline]()))
	got := last[council.Baseline](f)
	check.That(t, got.Held == nil && council.Chosen(queues, &got.Choice) == "Kafka" && got.Count.Yes == 2, "got %+v", got)
}

func TestProtocolEnds_TheLosingSideOfADraftGivesItsBlockers(t *testing.T) {
	cites(t, 220, 55)
	f := inRound(t, func(c *council.Charter) { c.Output.Type = council.OutputDocumentation })
	f.carry()
	f.summarise()
	f.draft("# D")
	f.ballots("yyn")
	f.wantOpen("dissent.cyn")
	blocker := council.Blocker{ID: "b1", Problem: "No costs.", RequiredChange: "Name them.", Severity: "high"}
	f.say("dissent.cyn", council.Dissent{Dissent: "Too early.", CriticalBlockers: []council.Blocker{blocker}})
	blocker.ID = "d1.cyn.b1"
	check.Equal(t, "it", []council.Blocker{blocker}, last[council.DissentWritten](f).CriticalBlockers)
	check.Is(t, "the document is", council.DocumentationApproved, f.outcome().Documentation)
}

func TestProtocolEnds_ADissentFromAMotionHasNoBlockers(t *testing.T) {
	cites(t, 220)
	f := inRound(t, nil)
	f.moveAndVote("yy-")
	f.summarise()
	f.wantOpen("dissent.cyn") // who could not vote did not vote YES
	f.say("dissent.cyn", council.Dissent{Dissent: "No.", CriticalBlockers: []council.Blocker{{Problem: "P"}}})
	got := last[council.DissentWritten](f).CriticalBlockers
	check.That(t, got == nil, "there is no draft to block: %+v", got)
}

func TestProtocolEnds_AnUndecidedSessionSaysWhatStandsInThePlaceOfADecision(t *testing.T) {
	cites(t, 221)
	undecided := &council.Undecided{Question: "What does a minute of standstill cost?"}
	for _, decided := range []bool{true, false} {
		f := inRound(t, func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = 1 })
		if decided {
			f.carry()
		} else {
			f.allPass()
		}
		check.Is(t, "the view says undecided", !decided, f.s.View(f.ask("summary.ada")).Undecided)
		f.say("summary.ada", council.Summary{SummaryMarkdown: "S", Undecided: undecided})
		if got := f.outcome().Undecided; (got != nil) == decided || !decided && got.Question != undecided.Question {
			t.Errorf("decided %t: %+v", decided, got)
		}
	}
}

// Each debate could end for both reasons of its name.
func TestEndings_OfADebateHaveAnOrder(t *testing.T) {
	cites(t, 35, 228)
	speak := func(f *floor) {
		for range f.s.Charter().Seats() {
			f.contribute()
		}
	}
	oneRound := func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = 1 }
	for name, c := range map[string]struct {
		edit func(*council.Charter)
		play func(*floor)
		want council.DebateEnd
	}{
		"MAJORITY_VOTE, ROUND_LIMIT": {oneRound, func(f *floor) { f.contribute(); f.contribute(); f.carry() },
			council.EndMajorityVote},
		"UNANSWERED, ROUND_LIMIT": {oneRound, func(f *floor) {
			for range f.s.Charter().Seats() {
				f.fault(f.turn(), council.FaultRefusal)
			}
		}, council.EndUnanswered},
		"ALL_PASSED, ROUND_LIMIT": {oneRound, (*floor).allPass, council.EndAllPassed},
		"ROUND_LIMIT, NOTHING_NEW": {func(c *council.Charter) {
			c.Deliberation.SealedPositions, c.Deliberation.Stances, c.Deliberation.ContestedOnly = true, true, true
		}, func(f *floor) { speak(f); speak(f) }, council.EndRoundLimit},
	} {
		f := convene(t, c.edit)
		if f.s.Charter().Deliberation.SealedPositions {
			f.seal("a", "b", "c")
		}
		f.elect("ada", "ada", "ada")
		c.play(f)
		check.Is(t, name, c.want, last[council.DebateClosed](f).Reason)
	}
	f := convene(t, func(c *council.Charter) {
		c.Deliberation.SealedPositions, c.Deliberation.Stances, c.Deliberation.ContestedOnly = true, true, true
	})
	for _, id := range f.open() {
		f.say(id, council.Position{Position: "P", Stance: "a", Confidence: 1})
	}
	f.elect("ada", "ada", "ada")
	f.carry()
	check.Is(t, "UNCONTESTED, MAJORITY_VOTE: it ended as", council.EndUncontested, last[council.DebateClosed](f).Reason)
}

func TestEndings_OfASessionHaveAnOrder(t *testing.T) {
	cites(t, 229)
	for _, decided := range []bool{true, false} {
		f := inRound(t, documented)
		if decided {
			f.carry()
		} else {
			f.allPass()
		}
		f.say("summary.ada", council.Summary{SummaryMarkdown: "S", RequiresExecution: true,
			ExecutionBrief: &brief, Undecided: &council.Undecided{Question: "Q"}})
		f.rule(council.SessionAdjourned{By: "kim", Reason: "We go home."})
		got := f.outcome()
		check.That(t, got.Ended == council.SessionCutShort && got.Decided == decided &&
			got.ExecutionWithheld == council.WithheldAdjourned && got.Documentation == council.DocumentationMissing,
			"decided %t: %+v", decided, got)
	}
	f := convene(t, func(c *council.Charter) { c.Budget = council.Budget{Tokens: 10, Minutes: 1} })
	for _, id := range f.open() {
		f.answer(council.Reply{Ask: council.AskID(id), Body: council.Nomination{CandidateID: "ada"},
			Usage: council.Usage{InputTokens: 10, ElapsedMS: 60_000}})
	}
	if got := f.s.Suspended(); got == nil || got.Message != "30 of 10 tokens are spent" {
		t.Errorf("of two budgets that are spent it names %v, want the tokens", got)
	}
}

// seated gives the first seats of a charter models of these providers.
func seated(providers ...string) func(*council.Charter) {
	return func(c *council.Charter) {
		for i, p := range providers {
			c.Members[i].Model = council.Model{Provider: p, Model: "m"}
		}
	}
}

// A motion carries and the leader calls for its execution, but nothing is decided where a seat is the rehearsal.
func TestRehearsal_DecidesNothing(t *testing.T) {
	cites(t, 222, 224)
	for name, c := range map[string]struct {
		providers []string
		rehearsed bool
	}{
		"models alone":            {[]string{"openai", "anthropic", "ollama"}, false},
		"scripts alone":           {nil, false},
		"a script among models":   {[]string{"openai", "script", "ollama"}, false},
		"rehearsals alone":        {[]string{"rehearsal", "rehearsal", "rehearsal"}, true},
		"one rehearsal":           {[]string{"openai", "rehearsal", "ollama"}, true},
		"a rehearsal and scripts": {[]string{"rehearsal"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, seated(c.providers...))
			f.carry()
			f.calls("p1.r1.t1")
			for _, id := range f.open() {
				f.say(id, council.Dissent{})
			}
			o := f.outcome()
			check.That(t, o.Rehearsed == c.rehearsed && o.Decided != c.rehearsed && len(o.Resolutions) == 1,
				"rehearsed %t, decided %t with %d resolutions; want rehearsed %t", o.Rehearsed, o.Decided, len(o.Resolutions),
				c.rehearsed)
			want := council.WithheldUnvoted // a person may approve it
			if c.rehearsed {
				want = council.WithheldRehearsed
			}
			check.Is(t, "withheld", want, o.ExecutionWithheld)
		})
	}
}

func TestRehearsal_TakesNoRulingOnItsBrief(t *testing.T) {
	cites(t, 223)
	f := inRound(t, func(c *council.Charter) { seated("openai", "rehearsal")(c); free(c) })
	f.carry()
	b := f.calls()
	for _, id := range f.open() {
		f.say(id, council.Dissent{})
	}
	sum := b.SHA256()
	for _, r := range []council.Ruling{
		council.ExecutionApproved{By: "kim", BriefSHA256: sum},
		council.ExecutionApproved{By: "kim", BriefSHA256: sum, InAdvance: true},
		council.ExecutionRejected{By: "kim", BriefSHA256: sum},
		council.BriefAmended{By: "kim", Brief: b},
		council.ExecutionStarted{By: "kim", BriefSHA256: sum},
	} {
		f.refuses(r)
	}
	_, err := f.s.Rule(council.ExecutionApproved{By: "kim", BriefSHA256: sum})
	want := council.WithheldRehearsed.Why()
	check.That(t, err != nil && err.Error() == want, "an approval is refused with %v, want %s", err, want)
	if h := f.s.Handoff(); h.Status != council.ExecutionWithheld || h.HandedOff() {
		t.Errorf("the handoff is %s, handed off: %t", h.Status, h.HandedOff())
	}
}
