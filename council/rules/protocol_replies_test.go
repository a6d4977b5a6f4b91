package rules_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// reads answers an open ask with the text as a model wrote it.
func (f *floor) reads(id, text string) {
	f.Helper()
	body, err := prompt.Parse(f.s.View(f.ask(id)), text)
	if err != nil {
		f.Fatalf("%s: %v", text, err)
	}
	f.say(id, body)
}

func TestWhatCanMeanOnlyOneThingIsTaken(t *testing.T) {
	cites(t, 140, 141)
	f := inRound(t, nil)
	f.reads("p1.r1.t1.turn.ada", `{"action": "Call vote.", "motionText": "Keep the queue.\n\nIt works.", "mood": "good"}`)
	motion := last[council.MotionMade](f)
	if motion.MotionTitle != "Keep the queue." || motion.DecisionIfPass != motion.MotionText {
		t.Errorf("a motion without a title and a decision: %+v", motion)
	}
	f.reads("p1.r1.t1.second.bob", `{"second": "yes"}`)
	f.reads("p1.r1.t1.ballot.ada", `{"ballot": "Yes."`)
	ask := f.s.View(f.ask("p1.r1.t1.ballot.bob"))
	for name, text := range map[string]string{
		"two verdicts in one object": `{"ballot": "YES", "rationale": "r", "ballot": "NO"}`,
		"two verdicts":               `{"ballot": "YES"} {"ballot": "NO"}`,
		"a verdict within another":   `{"ballot": "YES", "before": {"ballot": "NO"}}`,
		"a verdict in prose":         "I vote YES.",
		"nothing":                    `{"rationale": "It is sound."}`,
	} {
		if body, err := prompt.Parse(ask, text); !errors.Is(err, council.ErrBadReply) {
			t.Errorf("%s became %v", name, body)
		}
	}
	f.say("p1.r1.t1.ballot.bob", council.Ballot{Ballot: council.ChoiceNo})
	f.say("p1.r1.t1.ballot.cyn", council.Ballot{Ballot: council.ChoiceYes})
	f.summarise()
	f.reads("dissent.bob", "I cannot support this: it names no costs.")
	if got := last[council.DissentWritten](f).Dissent.Dissent; !strings.HasPrefix(got, "I cannot support") {
		t.Errorf("prose as a dissent: %q", got)
	}
}

func TestWhatIsTooLongIsCutAndTheEventSaysSo(t *testing.T) {
	cites(t, 142)
	f := inRound(t, nil)
	f.say("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionCallVote, MotionTitle: strings.Repeat("ä", 240),
		MotionText: strings.Repeat("x", 7_000), DecisionIfPass: "D"})
	made := last[council.MotionMade](f)
	if want := strings.Repeat("ä", 199) + "…"; made.MotionTitle != want || len(made.MotionText) != 7_000 {
		t.Errorf("the title is %q", made.MotionTitle)
	}
	same(t, []council.Shortened{{Field: "motionTitle", From: 240, To: 200}}, made.Shortened)
	// The log says the same when it is read again, and when the reply is.
	again := check.Get(rules.Replay(rules.Log(f.s.Events()...)))(t)
	same(t, f.s.Events(), again.Events())
	body := check.Get(prompt.Parse(
		f.s.View(f.ask("p1.r1.t1.second.bob")),
		`{"second": true, "rationale": "`+strings.Repeat("r", 4_001)+`"}`,
	))(t)
	f.say("p1.r1.t1.second.bob", body)
	cut := slices.IndexFunc(
		f.s.Events(),
		func(e council.Event) bool { return e.Type() == council.TypeOf[council.SecondAnswered]() },
	)
	a, _ := f.s.Events()[cut].Answered()
	same(t, []council.Shortened{{Field: "rationale", From: 4_001, To: 4_000}}, a.Shortened)
	for _, text := range []string{
		`{"action": "CALL_VOTE", "motionText": "` + strings.Repeat("x", 8_001) + `", "decisionIfPass": "d"}`,
		`{"action": "CALL_VOTE", "motionText": "x", "decisionIfPass": "` + strings.Repeat("x", 4_001) + `"}`,
	} {
		if _, err := prompt.Parse(inRound(t, nil).s.View(council.Ask{Kind: council.AskTurn, Member: "ada"}),
			text); err == nil {
			t.Error("what is decided was cut, or is longer than a council takes")
		}
	}
}

func TestOneEntryMayCiteSeveral(t *testing.T) {
	cites(t, 143)
	good, bad := assess(t, smallCharter(), nil, map[string][]council.ToolUse{"bob": looked("a.go", 1, 9)},
		"[e3]", "event e4", "e5, e6", "(e7-e8)", "e9.", "e1 and e99", "see a.go:2", "e2, the minutes", "", " , ")
	same(t, []string{"e3", "e4", "e5", "e6", "e7", "e8", "e9", "e1", "a.go:2", "e2"}, good)
	same(t, []string{"e99", "the minutes", "", ","}, bad)
}

func TestAGateIsNamedByItsWordsWhateverStandsAroundThem(t *testing.T) {
	cites(t, 144)
	for name, want := range map[string]council.FindingStatus{
		"Costs are named": council.FindingComplete, "costs  are named.": council.FindingComplete,
		"“Costs are named”": council.FindingComplete,
		"gate-1":            council.FindingComplete, "Costs are": council.FindingMissing,
	} {
		f := inRound(t, demanding)
		f.allPass()
		f.say(
			"p1.assess.ada",
			council.Assessment{QualityGates: []council.Claim{{ID: name, Met: true, Citations: []string{"e1"}}}},
		)
		check.Is(t, name, want, last[council.PhaseEnded](f).QualityGates[0].Status)
	}
}

func TestCitationsForAWholePhaseCount(t *testing.T) {
	cites(t, 39, 40)
	for _, test := range []struct {
		claim, whole []string
		missing      bool
	}{
		{[]string{"e1"}, []string{"e2", "e999"}, false},
		{[]string{"e1"}, []string{"e1"}, true}, // once each
		{[]string{"e1"}, nil, true},
		{nil, []string{"e1, e2"}, false},
	} {
		f := inRound(t, demanding)
		f.allPass()
		f.say("p1.assess.ada", council.Assessment{
			Deliverables: []council.Claim{{ID: "options", Met: true, Citations: test.claim}}, Citations: test.whole,
		})
		end := last[council.PhaseEnded](f)
		short := slices.ContainsFunc(end.Missing, func(s string) bool { return strings.HasPrefix(s, "citations: ") })
		if bad := slices.Contains(test.whole, "e999"); short != test.missing || bad != slices.Contains(end.BadCites, "e999") {
			t.Errorf("%v and %v: missing %v, bad %v", test.claim, test.whole, end.Missing, end.BadCites)
		}
	}
}

// Lines that a member looked up for a turn are news once.
func TestLinesThatWereLookedUpCountAsCited(t *testing.T) {
	cites(t, 90, 91)
	f := convene(t, func(c *council.Charter) {
		contestedOnly(c)
		c.Phases[0].StopConditions.MaxRounds = 9
		for i := range c.Members {
			c.Members[i].Tools = &council.Tools{Workspace: &council.Workspace{}}
		}
	})
	f.seal("yes", "no", "")
	f.elect("ada", "ada", "ada")
	for range 3 {
		f.contribute()
	}
	f.answer(council.Reply{Ask: council.AskID(f.turn()), Tools: looked("a.go", 1, 9),
		Body: council.Turn{Action: council.ActionPass, Reason: "R"}})
	same(t, []string{"a.go:1-9"}, last[council.TurnPassed](f).Cites)
	f.contribute()
	f.contribute()
	f.wantOpen("p1.r3.t1.turn.ada") // the lines were new
	f.answer(council.Reply{Ask: council.AskID(f.turn()), Tools: looked("a.go", 1, 9),
		Body: council.Turn{Action: council.ActionContribute, Message: "Again."}})
	f.contribute()
	f.contribute()
	check.Is(t, "closed as , after lines that were known", council.EndNothingNew, last[council.DebateClosed](f).Reason)
}
