package reply

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

// asked is a view in which a question may be put, and a motion may replace the one that e2 made and e3 decided.
func asked() council.View {
	v := viewOf("turn")
	v.MayAsk, v.Standing = true, []council.MotionID{"p1.r1.t1"}
	v.Ask.Member = v.Charter.Members[0].ID
	v.Events = []council.Event{{Seq: 1}, {Seq: 2, Payload: council.MotionMade{Motion: "p1.r1.t1"}},
		{Seq: 3, Payload: council.MotionDecided{Motion: "p1.r1.t1", Decision: council.Decision{Result: quorum.Carried}}},
		{Seq: 4, Payload: council.MotionMade{Motion: "p1.r1.t2"}}}
	return v
}

func TestQuestion_ATurnThatAsks(t *testing.T) {
	v := asked()
	me, other := v.Charter.Members[0], v.Charter.Members[1]
	for to, want := range map[string]council.MemberID{
		string(other.ID): other.ID, other.Name: other.ID, "Convener": council.Convener,
		string(me.ID): "", "zoe": "", "": "",
	} {
		got, err := Parse(v, `{"action": "ASK", "to": "`+to+`", "question": "How many?"}`)
		if want == "" {
			check.Fails(t, to, err, "")
			continue
		}
		check.OK(t, err)
		check.Equal(t, to, council.Body(council.Turn{Action: council.ActionAsk, To: want, Question: "How many?"}), got)
	}
	v.MayAsk = false
	check.Fails(t, "where nobody may ask",
		check.Err(Parse(v, `{"action": "ASK", "to": "`+string(other.ID)+`", "question": "Q?"}`)),
		"one of CONTRIBUTE, PASS, CALL_VOTE, not")
}

func TestQuestion_AMotionThatReplacesOthers(t *testing.T) {
	move := func(names string) string {
		return `{"action": "CALL_VOTE", "motionTitle": "T", "motionText": "X", "decisionIfPass": "D", "supersedes": ` +
			names + `}`
	}
	for names, want := range map[string][]council.MotionID{
		`["e2"]`: {"p1.r1.t1"}, `"[e3]"`: {"p1.r1.t1"}, `["p1.r1.t1", "e2"]`: {"p1.r1.t1"}, `[]`: nil,
	} {
		check.Equal(t, names, want, check.Get(Parse(asked(), move(names)))(t).(council.Turn).Supersedes)
	}
	for _, names := range []string{`["e4"]`, `["e99"]`, `["the first one"]`} {
		check.Fails(t, names, check.Err(Parse(asked(), move(names))), "those that do are e2.")
	}
	v := asked()
	v.Standing = nil
	got, err := Parse(v, move(`["e99"]`))
	check.That(t, err == nil && got.(council.Turn).Supersedes == nil, "where nothing stands: %+v, %v", got, err)
}

func TestQuestion_ASummaryOfAnUndecidedCouncilIsReadInEachOfItsForms(t *testing.T) {
	v := council.View{
		Ask: council.Ask{Kind: council.AskSummary}, Undecided: true,
		Charter: &council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}, {ID: "bob", Name: "Bob"}}},
	}
	summary := func(undecided string) string {
		return `{"summaryMarkdown": "S", "requiresExecution": false` + undecided + `}`
	}
	for undecided, want := range map[string]*council.Undecided{
		`, "undecided": {"question": "What does it cost?"}`: {Question: "What does it cost?"},
		`, "undecided": "What does it cost?"`:               {Question: "What does it cost?"},
		`, "undecided": {"alternatives": [{"answer": "A", "heldBy": ["Ada", "eve"], "rightIf": "B"}, {"answer": "A"}], "question": ""}`: {
			Alternatives: []council.Alternative{{Answer: "A", HeldBy: []council.MemberID{"ada"}, RightIf: "B"}}},
		`, "undecided": {"alternatives": [], "investigation": {"measure": "M", "by": "us", "means": "N"}}`: {
			Investigation: &council.Investigation{Measure: "M", By: "us", Means: "N"}},
		`, "undecided": null`:                 nil,
		`, "undecided": {"question": null}`:   nil,
		`, "undecided": {"alternatives": []}`: nil,
	} {
		check.Equal(t, undecided, want, check.Get(Parse(v, summary(undecided)))(t).(council.Summary).Undecided)
	}
	check.Fails(t, "without the field", check.Err(Parse(v, summary(``))), `"undecided" is missing`)
	v.Undecided = false
	check.OK(t, check.Err(Parse(v, summary(``))))
}

func TestCall_IsNotAnAnswer(t *testing.T) {
	const call = `{"tool": "workspace.read", "arguments": {"path": "a.md", "from": 2}}`
	want := council.ToolCall{Tool: "workspace.read", Arguments: `{"from":2,"path":"a.md"}`}
	for _, test := range []struct {
		name, ask, text string
		want            council.ToolCall // empty: it is not a call
	}{
		{"alone", "turn", call, want},
		{"in prose", "turn", "Let me look.\n" + call, want},
		{"in a fence", "turn", "```json\n" + call + "\n```", want},
		{"after reasoning", "turn", "<think>{\"tool\": \"x\"}</think>" + call, want},
		{"without arguments", "turn", `{"tool": "workspace.list"}`,
			council.ToolCall{Tool: "workspace.list", Arguments: "{}"}},
		{"with HTML", "turn", `{"tool": "s", "arguments": {"q": "<a&b>"}}`,
			council.ToolCall{Tool: "s", Arguments: `{"q":"<a&b>"}`}},
		{"instead of a document", "draft", call, want},
		{"instead of a document, in a fence", "draft", "```\n" + call + "\n```", want},
		{"in a document", "draft", "# Tools\n\nCall them so:\n\n" + call, council.ToolCall{}},
		{"beside an answer", "turn", call + ` {"action": "PASS", "reason": "Done."}`, council.ToolCall{}},
		{"twice", "turn", call + call, council.ToolCall{}},
		{"within an answer", "turn", `{"action": "CONTRIBUTE", "message": "{\"tool\": \"x\", \"arguments\": {}}"}`,
			council.ToolCall{}},
		{"with a field more", "turn", `{"tool": "x", "arguments": {}, "action": "PASS"}`, council.ToolCall{}},
		{"without a name", "turn", `{"tool": " ", "arguments": {}}`, council.ToolCall{}},
		{"with arguments that are none", "turn", `{"tool": "x", "arguments": [1]}`, council.ToolCall{}},
		{"with arguments without end", "turn",
			`{"tool": "x", "arguments": {"q": "` + strings.Repeat("a", maxArguments) + `"}}`, council.ToolCall{}},
		{"an answer", "turn", `{"action": "PASS", "reason": "Done."}`, council.ToolCall{}},
		{"nothing", "turn", "", council.ToolCall{}},
		{"no beginning", "draft", "} # T", council.ToolCall{}},
		{"with the fields of an answer left empty", "turn",
			`{"tool": "x", "arguments": "{\"q\": 1}", "action": null, "message": ""}`,
			council.ToolCall{Tool: "x", Arguments: `{"q":1}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := viewOf(test.ask)
			got, ok := Call(v, test.text)
			if ok != (test.want != council.ToolCall{}) || ok && got != test.want {
				t.Errorf("%+v, %v", got, ok)
			}
			if ok && v.Ask.Kind != council.AskDraft {
				check.Fails(t, "as an answer", check.Err(Parse(v, test.text)), "")
			}
		})
	}
}

// Whatever a member writes, a call has a name and arguments that are bounded, on one line.
func FuzzCall(f *testing.F) {
	f.Add(`{"tool": "workspace.list", "arguments": {"path": "a\nb"}}`)
	f.Add("```json\n{\"tool\":\"x\"}\n```")
	f.Fuzz(func(t *testing.T, text string) {
		for _, ask := range []string{"turn", "draft"} {
			if c, ok := Call(viewOf(ask), text); ok &&
				(c.Tool == "" || len(c.Arguments) > maxArguments || strings.ContainsAny(c.Text(), "\n\x1b")) {
				t.Fatalf("%+v", c)
			}
		}
	})
}

// debate is a view of a question about ada's motion, to which bob proposed e14 and cyn e15; one for May was lost.
func debate(kind council.AskKind, m council.MemberID) council.View {
	may := council.MotionMade{Motion: "p1.r1.t1", MotionTitle: "T", MotionText: "That we adopt NATS in May.",
		DecisionIfPass: "NATS is adopted."}
	return council.View{
		Ask: council.Ask{Kind: kind, Member: m}, Charter: &council.Charter{},
		Phase: &council.Phase{Governance: council.Governance{RequireSeconding: true, Debate: true, MaxAmendments: 2,
			Choices: true}},
		Motion: &council.Motion{Mover: "ada", Title: "Adopt NATS", Text: "That we adopt NATS in June.",
			Decision: "NATS is adopted."},
		Proposed: []council.Proposal{{ID: "e14", By: "bob"}, {ID: "e15", By: "cyn"}},
		Events: []council.Event{{Seq: 3, Payload: may}, {Seq: 9, Payload: council.MotionDecided{Motion: "p1.r1.t1",
			Decision: council.Decision{Result: "LOST"}}}},
	}
}

func TestSecond_ReadsAPosition(t *testing.T) {
	v := debate(council.AskSecond, "bob")
	for text, want := range map[string]council.Second{
		`{"rationale": "R", "stand": "support", "second": true}`: {
			Rationale: "R", Stand: council.StandSupport, Second: true},
		`{"rationale": "R", "stand": "OPPOSE", "amendment": {"strike": "", "insert": ""}, "second": "no"}`: {
			Rationale: "R", Stand: council.StandOppose},
		`{"stand": "AMEND", "amendment": {"strike": " June ", "insert": "July"}, "second": true}`: {
			Stand: council.StandAmend, Amendment: &council.Amendment{Strike: "June", Insert: "July"}, Second: true},
		`{"stand": "AMEND", "amendment": {"strike": "", "substitute": {"motionText": "Wait.\nLonger."}}, "second": true}`: {
			Stand: council.StandAmend, Second: true, Amendment: &council.Amendment{Substitute: &council.Wording{
				MotionTitle: "Wait.", MotionText: "Wait.\nLonger.", DecisionIfPass: "Wait.\nLonger."}}},
		`{"rationale": "R", "second": true}`: {Rationale: "R", Second: true},
	} {
		check.Equal(t, text, council.Body(want), check.Get(Parse(v, text))(t))
	}
	for text, problem := range map[string]string{
		`{"rationale": "R", "second": false}`:                                                   `"stand" is missing`,
		`{"stand": "AMEND", "second": true}`:                                                    `"amendment" is missing`,
		`{"stand": "SUPPORT"}`:                                                                  `"second" is missing`,
		`{"stand": "AMEND", "amendment": {"strike": "adopt Nats in Jun"}}`:                      `nearest are: "adopt NATS in June."`,
		`{"stand": "AMEND", "amendment": {"insert": "July"}, "second": true}`:                   "either words to strike",
		`{"stand": "AMEND", "amendment": {"strike": "June", "insert": "May"}, "second": true}`:  "lost already (e9)",
		`{"stand": "AMEND", "amendment": {"strike": "June", "insert": "June"}, "second": true}`: "changes nothing",
	} {
		check.Fails(t, text, check.Err(Parse(v, text)), problem)
	}
	v.Motion.Options = []string{"a", "b"}
	check.Fails(t, "an amendment of a choice",
		check.Err(Parse(v, `{"stand": "AMEND", "amendment": {"strike": "June"}, "second": true}`)), "")
	v.Phase.Governance = council.Governance{Debate: true}
	got, err := Parse(v, `{"stand": "OPPOSE"}`)
	check.That(t, err == nil && !got.(council.Second).Second, "without seconds: %v, %v", got, err)
}

func TestAmend_ReadsAmendments(t *testing.T) {
	for _, test := range []struct {
		member council.MemberID
		text   string
		want   council.Amend
	}{
		{"ada", `{"rationale": "R", "amendments": ["e15", "e14", "e15"]}`,
			council.Amend{Rationale: "R", Amendments: []council.AmendmentID{"e15", "e14"}}},
		{"ada", `{"amendments": [], "withdraw": true}`, council.Amend{Withdraw: true}},
		{"ada", `{"amendments": ["none"]}`, council.Amend{}},
		{"ada", `{"amendments": ["Amendment [e15] (by Bob)"]}`, council.Amend{Amendments: []council.AmendmentID{"e15"}}},
		{"bob", `{"amendments": "e14 and e15", "withdraw": true}`, council.Amend{Amendments: []council.AmendmentID{"e15"}}},
	} {
		got := check.Get(Parse(debate(council.AskAmend, test.member), test.text))(t)
		check.Equal(t, test.text, council.Body(test.want), got)
	}
	for text, problem := range map[string]string{
		`{"amendments": ["e99"]}`: "There is no amendment e99; they are e14, e15",
		`{"rationale": "R"}`:      `"amendments" is missing`,

		`{"amendments": ["Not e14"]}`:                        `The entry "Not e14" is not the id of an amendment alone`,
		`{"amendments": ["not e14"]}`:                        `The entry "not e14" is not the id of an amendment alone`,
		`{"amendments": ["By all means not e14"]}`:           `The entry "By all means not e14" is not the id`,
		`{"amendments": ["all but e14"]}`:                    `The entry "all but e14" is not the id of an amendment alone`,
		`{"amendments": ["Strike all words about the day"]}`: `is not the id of an amendment alone; they are e14, e15`,
	} {
		check.Fails(t, text, check.Err(Parse(debate(council.AskAmend, "dan"), text)), problem)
	}
}

func TestQuestion_AMotionThatWasLostIsAskedForAgain(t *testing.T) {
	v := debate(council.AskTurn, "bob")
	again := `{"action": "CALL_VOTE", "motionText": "that we adopt NATS in May", "decisionIfPass": "NATS is adopted"}`
	check.Fails(t, "it", check.Err(Parse(v, again)), "lost already (e9)")
	check.OK(t, check.Err(Parse(v, `{"action": "CALL_VOTE", "motionText": "That we adopt NATS in May or June."}`)))
}
