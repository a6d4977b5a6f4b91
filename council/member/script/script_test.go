package script

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
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

func TestRead_ScriptsThatAreRefused(t *testing.T) {
	for doc, want := range map[string]string{
		``:                                     "holds no replies",
		`[]`:                                   "holds no replies",
		`[{"reply": "a"}`:                      "cut off after entry 1",
		`[{"reply": "a"}] {"reply": "b"}`:      "goes on after its end, after entry 1",
		"{\"reply\": \"a\"}\n{\"rply\": \"\"}": `entry 2 of replies.json: there is no field "rply"`,
		`{"reply": "a"`:                        "entry 1 of replies.json",
		`{"reply": "a"} ]`:                     "goes on after its end",
		`"a"`:                                  "entry 1 of replies.json",
		`{}`:                                   "neither a reply nor a fault",
		`{"reply": null}`:                      "neither a reply nor a fault",
		`{"reply": "a", "fault": "rate"}`:      "both a reply and a fault",
		`{"reply": "a", "then": [{}]}`:         "neither a reply nor a fault",
		`{"reply": "a", "message": "b"}`:       "belong to a fault",
		`{"fault": "rat"}`:                     `there is no fault "rat"`,
		`{"fault": "cancelled"}`:               `there is no fault "cancelled" that a provider brings`,
		`{"fault": "rate", "retryAfterSeconds": -1}`: "between 0 and a day",
		`{"ask": "ballots", "reply": "a"}`:           `there is no question "ballots": name a kind (position, `,
		`{"ask": "p1.[", "reply": "a"}`:              "is not a pattern",
		`{"member": "[", "reply": "a"}`:              "is not a pattern",
	} {
		check.Fails(t, doc, check.Err(Parse("replies.json", []byte(doc))), want)
	}
}

func TestRead_AScriptIsReadFromItsFolderAndNowhereElse(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		check.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(filepath.Join(outside, "s.json"), `{"reply": "outside"}`)
	write(filepath.Join(folder, "s.json"), `{"reply": "inside"}`)
	write(filepath.Join(folder, "long.json"), strings.Repeat(" ", MaxSize+1))
	check.OK(t, os.Symlink(filepath.Join(outside, "s.json"), filepath.Join(folder, "link.json")))
	counciltest.Pipe(t, filepath.Join(folder, "pipe.json"))
	for _, test := range []struct{ name, want, problem string }{
		{"s.json", "inside", ""},
		{"./s.json", "inside", ""},
		{filepath.Join(outside, "s.json"), "outside", ""},
		{filepath.Join(folder, "link.json"), "outside", ""}, // named in full, it is meant
		{"link.json", "", "cannot be read"},
		{"../" + filepath.Base(outside) + "/s.json", "", "outside of this folder"},
		{"pipe.json", "", "not an ordinary file"},
		{".", "", "not an ordinary file"},
		{"absent.json", "", "there is no such file"},
		{"long.json", "", "longer than 8 MiB"},
		{"", "", "set model.model"},
	} {
		m, err := New(council.Model{Provider: "script", Model: test.name}, folder)
		switch {
		case test.problem != "":
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%q: %v, want %s", test.name, err, test.problem)
			}
		case err != nil:
			t.Errorf("%q: %v", test.name, err)
		case said(t, m, asking("position")) != test.want:
			t.Errorf("%q is another file", test.name)
		}
	}
}

// Any text is either refused with a reason, or answers every question without a panic.
func FuzzParse(f *testing.F) {
	for _, doc := range []string{`[{"reply": {"a": 1}}]`, `{"ask": "turn", "fault": "rate", "then": [{"reply": "x"}]}`,
		`{"ask":"*.[a-z]"}`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		m, err := Parse("f", doc)
		if (m == nil) == (err == nil) {
			t.Fatal("neither a script nor an error")
		}
		if m != nil {
			c, err := m.Complete(t.Context(), asking("p1.r1.t1.turn", "position"))
			if err == nil && c.Stop == "" {
				t.Fatal("a reply without a reason to stop")
			}
		}
	})
}

func TestRead_TheScriptOfTheHandbookIsRead(t *testing.T) {
	text := check.Get(os.ReadFile("../../../docs/members.md"))(t)
	block := regexp.MustCompile("(?s)```jsonl\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("the handbook shows no script")
	}
	m := check.Get(Parse("the handbook", block[1]))(t)
	for ask, want := range map[string]string{"p1.r2.t1.turn": "Heard enough", "d1.draft": "# The queue"} {
		check.Says(t, said(t, m, asking(ask)), want)
	}
}
