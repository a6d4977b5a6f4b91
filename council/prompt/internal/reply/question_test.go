package reply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
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

func TestATurnThatAsks(t *testing.T) {
	v := asked()
	me, other := v.Charter.Members[0], v.Charter.Members[1]
	for to, want := range map[string]council.MemberID{
		string(other.ID): other.ID, other.Name: other.ID, "Convener": council.Convener,
		string(me.ID): "", "zoe": "", "": "",
	} {
		got, err := Parse(v, `{"action": "ASK", "to": "`+to+`", "question": "How many?"}`)
		if want == "" {
			if err == nil {
				t.Errorf("%q is asked: %+v", to, got)
			}
			continue
		}
		if diff := cmp.Diff(council.Body(council.Turn{Action: council.ActionAsk, To: want, Question: "How many?"}),
			got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", to, err, diff)
		}
	}
	v.MayAsk = false
	if _, err := Parse(v, `{"action": "ASK", "to": "`+string(other.ID)+`", "question": "Q?"}`); err == nil ||
		!strings.Contains(err.Error(), "one of CONTRIBUTE, PASS, CALL_VOTE, not") {
		t.Errorf("where nobody may ask: %v", err)
	}
}

func TestAMotionThatReplacesOthers(t *testing.T) {
	move := func(names string) string {
		return `{"action": "CALL_VOTE", "motionTitle": "T", "motionText": "X", "decisionIfPass": "D", "supersedes": ` +
			names + `}`
	}
	for names, want := range map[string][]council.MotionID{
		`["e2"]`: {"p1.r1.t1"}, `"[e3]"`: {"p1.r1.t1"}, `["p1.r1.t1", "e2"]`: {"p1.r1.t1"}, `[]`: nil,
	} {
		got, err := Parse(asked(), move(names))
		if diff := cmp.Diff(want, got.(council.Turn).Supersedes); diff != "" || err != nil {
			t.Errorf("%s: %v %s", names, err, diff)
		}
	}
	for _, names := range []string{`["e4"]`, `["e99"]`, `["the first one"]`} {
		if _, err := Parse(asked(), move(names)); err == nil || !strings.Contains(err.Error(), "those that do are e2.") {
			t.Errorf("%s: %v", names, err)
		}
	}
	v := asked()
	v.Standing = nil
	if got, err := Parse(v, move(`["e99"]`)); err != nil || got.(council.Turn).Supersedes != nil {
		t.Errorf("where nothing stands: %+v, %v", got, err)
	}
}
