package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

func TestTheBaselineIsTheVoteOnTheSealedPositions(t *testing.T) {
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
		if e.Type() == "BASELINE" {
			t.Error("no position names an answer")
		}
	}
}

func TestTheBaselineOfOptionsCountsTheirRankings(t *testing.T) {
	cites(t, 218)
	f := convene(t, func(c *council.Charter) {
		choosing(c)
		c.Deliberation.SealedPositions = true
	})
	for i, text := range []string{"NATS > Kafka", "Kafka > NATS", "Kafka"} {
		f.say("position."+string(f.s.Charter().Seats()[i]), council.Position{Position: "P", Ranking: ranks(text)})
	}
	got := last[council.Baseline](f)
	if got.Held != nil || council.Chosen(queues, &got.Choice) != "Kafka" || got.Count.Yes != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestTheLosingSideOfADraftGivesItsBlockers(t *testing.T) {
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
	if diff := cmp.Diff([]council.Blocker{blocker}, last[council.DissentWritten](f).CriticalBlockers); diff != "" {
		t.Error(diff)
	}
	if got := f.outcome().Documentation; got != council.DocumentationApproved {
		t.Errorf("the document is %s", got)
	}
}

func TestADissentFromAMotionHasNoBlockers(t *testing.T) {
	cites(t, 220)
	f := inRound(t, nil)
	f.move()
	f.second("y")
	f.ballots("yy-")
	f.summarise()
	f.wantOpen("dissent.cyn") // who could not vote did not vote YES
	f.say("dissent.cyn", council.Dissent{Dissent: "No.", CriticalBlockers: []council.Blocker{{Problem: "P"}}})
	if got := last[council.DissentWritten](f).CriticalBlockers; got != nil {
		t.Errorf("there is no draft to block: %+v", got)
	}
}

func TestAnUndecidedSessionSaysWhatStandsInThePlaceOfADecision(t *testing.T) {
	cites(t, 221)
	undecided := &council.Undecided{Question: "What does a minute of standstill cost?"}
	for _, decided := range []bool{true, false} {
		f := inRound(t, func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = 1 })
		if decided {
			f.carry()
		} else {
			f.allPass()
		}
		if v := f.s.View(f.ask("summary.ada")); v.Undecided == decided {
			t.Errorf("decided %t: the view says undecided %t", decided, v.Undecided)
		}
		f.say("summary.ada", council.Summary{SummaryMarkdown: "S", Undecided: undecided})
		if got := f.outcome().Undecided; (got != nil) == decided || !decided && got.Question != undecided.Question {
			t.Errorf("decided %t: %+v", decided, got)
		}
	}
}
