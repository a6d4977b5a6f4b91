package reply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

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
		got, err := Parse(v, text)
		if diff := cmp.Diff(council.Body(want), got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
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
		if got, err := Parse(v, text); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	v.Motion.Options = []string{"a", "b"}
	if _, err := Parse(v, `{"stand": "AMEND", "amendment": {"strike": "June"}, "second": true}`); err == nil {
		t.Error("a choice is amended")
	}
	v.Phase.Governance = council.Governance{Debate: true}
	if got, err := Parse(v, `{"stand": "OPPOSE"}`); err != nil || got.(council.Second).Second {
		t.Errorf("without seconds: %v, %v", got, err)
	}
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
		got, err := Parse(debate(council.AskAmend, test.member), test.text)
		if diff := cmp.Diff(council.Body(test.want), got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", test.text, err, diff)
		}
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
		if got, err := Parse(debate(council.AskAmend, "dan"), text); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestAMotionThatWasLostIsAskedForAgain(t *testing.T) {
	v := debate(council.AskTurn, "bob")
	again := `{"action": "CALL_VOTE", "motionText": "that we adopt NATS in May", "decisionIfPass": "NATS is adopted"}`
	_, err := Parse(v, again)
	check.Fails(t, "it", err, "lost already (e9)")
	if _, err := Parse(v, `{"action": "CALL_VOTE", "motionText": "That we adopt NATS in May or June."}`); err != nil {
		t.Error(err)
	}
}
