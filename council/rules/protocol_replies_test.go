package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
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

func TestProtocolReplies_WhatCanMeanOnlyOneThingIsTaken(t *testing.T) {
	cites(t, 140, 141)
	f := inRound(t, nil)
	f.reads("p1.r1.t1.turn.ada", `{"action": "Call vote.", "motionText": "Keep the queue.\n\nIt works.", "mood": "good"}`)
	motion := last[council.MotionMade](f)
	check.Is(t, "title", "Keep the queue.", motion.MotionTitle)
	check.Is(t, "decision", motion.MotionText, motion.DecisionIfPass)
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
		check.ErrorIs(t, name, council.ErrBadReply, check.Err(prompt.Parse(ask, text)))
	}
	f.say("p1.r1.t1.ballot.bob", council.Ballot{Ballot: council.ChoiceNo})
	f.say("p1.r1.t1.ballot.cyn", council.Ballot{Ballot: council.ChoiceYes})
	f.summarise()
	f.reads("dissent.bob", "I cannot support this: it names no costs.")
	got := last[council.DissentWritten](f).Dissent.Dissent
	check.That(t, strings.HasPrefix(got, "I cannot support"), "prose as a dissent: %q", got)
}

func TestProtocolReplies_WhatIsTooLongIsCutAndTheEventSaysSo(t *testing.T) {
	cites(t, 142)
	f := inRound(t, nil)
	f.say("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionCallVote, MotionTitle: strings.Repeat("ä", 240),
		MotionText: strings.Repeat("x", 7_000), DecisionIfPass: "D"})
	made := last[council.MotionMade](f)
	want := strings.Repeat("ä", 199) + "…"
	check.That(t, made.MotionTitle == want && len(made.MotionText) == 7_000, "the title is %q", made.MotionTitle)
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
		_, err := prompt.Parse(inRound(t, nil).s.View(council.Ask{Kind: council.AskTurn, Member: "ada"}), text)
		check.That(t, err != nil, "what is decided was cut, or is longer than a council takes")
	}
}

func TestProtocolReplies_OneEntryMayCiteSeveral(t *testing.T) {
	cites(t, 143)
	good, bad := assess(t, smallCharter(), nil, map[string][]council.ToolUse{"bob": looked("a.go", 1, 9)},
		"[e3]", "event e4", "e5, e6", "(e7-e8)", "e9.", "e1 and e99", "see a.go:2", "e2, the minutes", "", " , ")
	same(t, []string{"e3", "e4", "e5", "e6", "e7", "e8", "e9", "e1", "a.go:2", "e2"}, good)
	same(t, []string{"e99", "the minutes", "", ","}, bad)
}

func TestProtocolReplies_AGateIsNamedByItsWordsWhateverStandsAroundThem(t *testing.T) {
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

func TestProtocolReplies_CitationsForAWholePhaseCount(t *testing.T) {
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
func TestProtocolReplies_LinesThatWereLookedUpCountAsCited(t *testing.T) {
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

// looking lets ada look things up: three times for a question, five times in all.
func looking(c *council.Charter) {
	c.Members[0].Tools = &council.Tools{Workspace: &council.Workspace{}, MaxCalls: 3, MaxSessionCalls: 5,
		MaxBytes: 1 << 10}
}

func shown(result string) council.ToolUse {
	return council.ToolUse{Tool: council.ToolRead, Arguments: `{"path":"a.md"}`, Result: result,
		SHA256: council.Digest(result)}
}

// asked returns a vote for ada after so many uses.
func asked(member string, uses ...council.ToolUse) council.Reply {
	return council.Reply{Ask: council.AskID("nominate." + member),
		Body: council.Nomination{Rationale: "good", CandidateID: "ada"}, Tools: uses}
}

func TestProtocolReplies_OnlyWhatTheCharterLetsAMemberLookUpIsRecorded(t *testing.T) {
	cites(t, 94)
	f := convene(t, looking)
	use := shown("1| a")
	forged := use
	forged.Result = "1| b"
	for name, r := range map[string]council.Reply{
		"a member without tools": asked("bob", use),
		"too many calls":         asked("ada", use, use, use, use),
		"too long a result":      asked("ada", shown(strings.Repeat("x", 1<<10+1))),
		"another result":         asked("ada", forged),
	} {
		check.ErrorIs(t, name, council.ErrBadReply, check.Err(f.s.Answer(r)))
		if e, err := f.s.Answer(council.Reply{Ask: r.Ask, Body: r.Body}); err != nil {
			t.Errorf("%s: the reply itself is refused: %v", name, err)
		} else {
			forge := e
			ballot := e.Payload.(council.LeaderBallotCast)
			ballot.Tools = r.Tools
			forge.Payload = ballot
			check.ErrorIs(t, name, rules.ErrBadEvent, f.s.Apply(forge))
		}
	}
	f.answer(asked("ada", use, use, use))
	f.say("nominate.bob", council.Nomination{Rationale: "good", CandidateID: "ada"})
	f.say("nominate.cyn", council.Nomination{Rationale: "good", CandidateID: "ada"})
	turn := council.Reply{Ask: council.AskID(f.turn()), Body: council.Turn{Action: council.ActionPass, Reason: "done"},
		Tools: []council.ToolUse{use, use, use}}
	check.ErrorIs(t, "a sixth call in the session", council.ErrBadReply, check.Err(f.s.Answer(turn)))
	turn.Tools = turn.Tools[:2]
	f.answer(turn)
}

func TestProtocolReplies_WhatWasLookedUpIsRecordedWithTheReply(t *testing.T) {
	cites(t, 95)
	f := convene(t, looking)
	stopped := asked("ada", shown("1| a"))
	stopped.Body, stopped.Fault = nil, &council.Fault{Kind: council.FaultTransport, Message: "down"}
	f.answer(stopped)
	last := f.s.Events()[len(f.s.Events())-1]
	_, ok := last.Payload.(council.SessionSuspended)
	check.That(t, ok && len(used(last)) == 0, "%+v", last)
	f.rule(council.SessionResumed{By: "me"})
	uses := []council.ToolUse{shown("1| a"), shown("2| b")}
	f.answer(asked("ada", uses...))
	last = f.s.Events()[len(f.s.Events())-1]
	if diff := cmp.Diff(uses, used(last)); diff != "" || last.Actor != "ada" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused := asked("bob")
	refused.Body, refused.Fault = nil, &council.Fault{Kind: council.FaultRefusal, Message: "no"}
	f.answer(refused)
}

func TestProtocolReplies_WhatAMemberWasShownIsToldToNobodyElse(t *testing.T) {
	cites(t, 96)
	f := convene(t, looking)
	f.answer(asked("ada", shown("1| only ada was shown this")))
	f.answer(asked("bob"))
	f.answer(asked("cyn"))
	for range 3 {
		m := f.s.Ready().Asks[0].Member
		p := promptFor(f, m)
		for _, words := range []string{"only ada was shown this", "What you can look up"} {
			check.Is(t, m, m == "ada", strings.Contains(fmt.Sprint(p.System, p.Messages), words))
		}
		f.pass()
	}
}

// used lists the lookups for the reply that an event records.
func used(e council.Event) []council.ToolUse {
	a, _ := e.Answered()
	return a.Tools
}

// assess has a council of one demanding phase pass on, and its leader assess it with the given citations. It returns
// those that count and those that do not.
func assess(t *testing.T, c council.Charter, docs []council.Document, uses map[string][]council.ToolUse,
	cited ...string) (good, bad []string) {
	t.Helper()
	demanding(&c)
	for i := range c.Members {
		c.Members[i].Tools = &council.Tools{Workspace: &council.Workspace{}}
	}
	f := &floor{t, counciltest.Open(t, "s1", council.Topic{Text: "Shall we?", Documents: docs}, c)}
	f.elect("ada", "ada", "ada")
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.answer(council.Reply{
			Ask:   council.AskID("p1.r1.t" + map[string]string{"ada": "1", "bob": "2", "cyn": "3"}[m] + ".turn." + m),
			Tools: uses[m], Body: council.Turn{Action: council.ActionPass, Reason: "Nothing."}})
	}
	f.answer(council.Reply{Ask: "p1.assess.ada", Tools: uses["assess"], Body: council.Assessment{
		Deliverables: []council.Claim{{ID: "options", Met: true, Citations: cited}},
	}})
	end := last[council.PhaseEnded](f)
	return end.Deliverables[0].Citations, end.BadCites
}

func looked(file string, from, to int) []council.ToolUse {
	return []council.ToolUse{{Tool: "workspace.read", Arguments: "{}", Result: "x", SHA256: council.Digest("x"),
		Given: []council.FileLines{{File: file, From: from, To: to}}}}
}

func TestProtocolReplies_AnAssessmentCitesWhatItsAuthorCouldKnow(t *testing.T) {
	cites(t, 92)
	uses := map[string][]council.ToolUse{"bob": looked("a.go", 1, 9), "assess": looked("b.go", 5, 6)}
	cited := []string{"e11", "e12", "a.go:9", "a.go:10", "b.go:5-6", "b.go:4", "c.go:1"}
	marked := smallCharter()
	marked.Deliberation.MarkCitations = true
	// e11 closes the debate; e12 is the assessment itself.
	good, bad := assess(t, marked, nil, uses, cited...)
	same(t, []string{"e11", "a.go:9", "b.go:5-6"}, good)
	same(t, []string{"e12", "a.go:10", "b.go:4", "c.go:1"}, bad)
	// A charter from before is judged as it was.
	if good, _ = assess(t, smallCharter(), nil, nil, "e12", "e13"); cmp.Diff([]string{"e12"}, good) != "" {
		t.Errorf("without marking %v exist", good)
	}
}

func TestProtocolReplies_ADiffGivesTheLinesThatItShows(t *testing.T) {
	cites(t, 93)
	diff :=
		"--- a/main.go\n+++ b/main.go\n@@ -1,2 +11,3 @@\n a\n+b\n c\n--- a/gone.go\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
	doc := council.NewDocument("diff:HEAD", diff)
	doc.Shows = []council.FileLines{{File: "main.go", From: 11, To: 13}, {File: "gone.go", From: 1, To: 2}}
	good, bad := assess(t, smallCharter(), []council.Document{doc}, nil,
		"main.go:11-13", "gone.go:2", "diff:HEAD:11", "main.go:1", "main.go:14", "gone.go:3", "diff:HEAD:12")
	check.Equal(t, "it", []string{"main.go:11-13", "gone.go:2", "diff:HEAD:11"}, good)
	check.Equal(t, "it", []string{"main.go:1", "main.go:14", "gone.go:3", "diff:HEAD:12"}, bad)
}
