package script

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func parse(t testing.TB, doc string) *Model {
	t.Helper()
	m := check.Get(Parse("replies.json", []byte(doc)))(t)
	return m
}

// asking returns a question to ada after she was asked others.
func asking(ask string, before ...string) *prompt.Prompt {
	v := council.View{Session: "s", Ask: council.Ask{ID: council.AskID(ask + ".ada"), Member: "ada"},
		Phase: &council.Phase{}, Motion: &council.Motion{}}
	for _, id := range before {
		answered := council.Answered{Ask: council.AskID(id + ".ada")}
		v.Events = append(v.Events,
			council.Event{Actor: "ada", Payload: council.ContributionMade{Answered: answered}},
			council.Event{Actor: "bob", Payload: council.ContributionMade{Answered: council.Answered{Ask: "p1.r1.t9.turn.bob"}}},
			council.Event{Payload: council.MotionDied{}})
	}
	return &prompt.Prompt{View: v, Try: 1}
}

func said(t testing.TB, m *Model, p *prompt.Prompt) string {
	t.Helper()
	c := check.Get(m.Complete(t.Context(), p))(t)
	return c.Text
}

func TestScript_TheFirstEntryThatNamesAQuestionAnswersIt(t *testing.T) {
	m := parse(t, `
		{"ask": "p1.r2.*.turn.*", "reply": "the second round"}
		{"member": "bob", "ask": "turn", "reply": "not hers"}
		{"member": "a?a", "ask": "turn", "reply": "a turn of hers"}
		{"ask": "turn", "reply": "never reached"}
		{"ask": "ballot", "reply": {"rationale": "<sound>", "ballot": "YES"}}
		{"reply": "in turn"}`)
	for ask, want := range map[string]string{
		"p1.r2.t3.turn":   "the second round",
		"p1.r1.t3.turn":   "a turn of hers",
		"d2.ballot":       `{"rationale": "<sound>", "ballot": "YES"}`,
		"p1.r2.t3.second": "in turn",
	} {
		for range 2 { // as often as it is asked
			check.Is(t, ask, want, said(t, m, asking(ask)))
		}
	}
}

func TestScript_RepliesInTurnFollowFromTheLogAlone(t *testing.T) {
	const doc = `[
		{"ask": "nominate", "reply": "named"},
		{"reply": "first"}, {"member": "bob", "reply": "bob's"}, {"member": "ada", "reply": "second"}, {"reply": "third"}]`
	past := []string{"position", "nominate", "p1.r1.t1.turn"}
	m := parse(t, doc)
	var got []string
	for i, ask := range []string{"position", "nominate", "p1.r1.t1.turn", "p1.r2.t1.turn"} {
		got = append(got, said(t, m, asking(ask, past[:min(i, 3)]...)))
	}
	want := []string{"first", "named", "second", "third"}
	check.Equal(t, "it", want, got)
	// A process that takes the session over later gets the same.
	check.Is(t, "after a resume", "third", said(t, parse(t, doc), asking("p1.r2.t1.turn", past...)))
}

func TestScript_AScriptThatIsExhaustedSuspends(t *testing.T) {
	_, err := parse(t, `{"reply": "only one"}`).Complete(t.Context(), asking("p1.r1.t1.turn", "position"))
	call := check.As[*member.CallError](t, err)
	if call.Fault.Kind != council.FaultModelMissing || call.Retryable || !call.Fault.Kind.Curable() {
		t.Errorf("%v", err)
	}
	check.Says(t, call.Fault.Message, "replies.json has no reply left for ada, who was asked p1.r1.t1.turn.ada")
}

func TestScript_FurtherCallsTakeTheNextStepAndTheLastStays(t *testing.T) {
	m := parse(t, `{"ask": "position", "reply": "1", "then": [{"reply": "2"}, {"reply": "3"}]}`)
	var got []string
	for range 4 {
		got = append(got, said(t, m, asking("position")))
	}
	check.Equal(t, "it", []string{"1", "2", "3", "3"}, got)
	other := asking("position")
	other.View.Session = "another"
	check.Is(t, "another session begins with", "1", said(t, m, other))
	repair := asking("position")
	repair.View.Session, repair.Try = "resumed", 2
	check.Is(t, "a repair whose question was on the tape brings", "2", said(t, m, repair))
}

func TestScript_FaultsComeAsFromAProvider(t *testing.T) {
	for _, test := range []struct {
		step      string
		kind      council.FaultKind // of an error
		retryable bool
		want      prompt.Completion
	}{
		{`"fault": "rate", "message": "slow down", "retryAfterSeconds": 1.5`, council.FaultRate, true, prompt.Completion{}},
		{`"fault": "transport"`, council.FaultTransport, true, prompt.Completion{}},
		{`"fault": "timeout"`, council.FaultTimeout, true, prompt.Completion{}},
		{`"fault": "auth", "message": "no such key: sk-abcdefgh"`, council.FaultAuth, false, prompt.Completion{}},
		{`"fault": "billing"`, council.FaultBilling, false, prompt.Completion{}},
		{`"fault": "model-missing"`, council.FaultModelMissing, false, prompt.Completion{}},
		{`"fault": "context-too-long"`, council.FaultContextTooLong, false, prompt.Completion{}},
		{`"fault": "refusal", "message": "I will not."`, "", false,
			prompt.Completion{Text: "I will not.", Stop: prompt.StopRefusal}},
		{`"fault": "truncated", "message": "I beg"`, "", false, prompt.Completion{Text: "I beg", Stop: prompt.StopLength}},
		{`"fault": "unparsable", "message": "{{{"`, "", false, prompt.Completion{Text: "{{{", Stop: prompt.StopEnd}},
		{`"fault": "empty"`, "", false, prompt.Completion{Stop: prompt.StopEnd}},
	} {
		t.Run(test.step, func(t *testing.T) {
			c, err := parse(t, `{`+test.step+`}`).Complete(t.Context(), asking("position"))
			if call, ok := errors.AsType[*member.CallError](err); ok {
				if call.Fault.Kind != test.kind || call.Retryable != test.retryable || call.Usage.Calls != 1 {
					t.Errorf("%+v", call)
				}
				if strings.Contains(call.Fault.Message, "abcdefgh") ||
					test.kind == council.FaultRate && call.RetryAfter != 1500*time.Millisecond {
					t.Errorf("%+v", call)
				}
				return
			}
			test.want.Usage = council.Usage{Model: "script", Calls: 1}
			if diff := cmp.Diff(test.want, c); diff != "" || err != nil || test.kind != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestScript_ACancelledCallTakesNoStep(t *testing.T) {
	m := parse(t, `{"reply": "1", "then": [{"reply": "2"}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.ErrorIs(t, "it", context.Canceled, check.Err(m.Complete(ctx, asking("position"))))
	check.Is(t, "the next call brings", "1", said(t, m, asking("position")))
}
