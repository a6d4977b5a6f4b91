package member

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// looker is a tool of a member. It counts its calls.
type looker struct {
	calls []council.ToolCall
	err   error
}

func (l *looker) Use(_ context.Context, _ *prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
	l.calls = append(l.calls, call)
	result := fmt.Sprintf("result %d", len(l.calls))
	return council.ToolUse{Tool: call.Tool, Arguments: call.Arguments, Result: result, SHA256: council.Digest(result),
		ElapsedMS: 10}, l.err
}

// equipped returns the view of a ballot, to a member that may call twice.
func equipped() council.View {
	return council.View{Session: "s", Ask: council.Ask{ID: "q.ada", Kind: council.AskBallot, Member: "ada"},
		Charter: &council.Charter{},
		Seat:    &council.Member{ID: "ada", Tools: &council.Tools{Workspace: &council.Workspace{}, MaxCalls: 2}}}
}

const calling = `{"tool": "workspace.list", "arguments": {}}`

func TestTooled_AMemberMayCallToolsBeforeItAnswers(t *testing.T) {
	call := step{text: calling}
	for _, test := range []struct {
		name    string
		steps   []step
		calls   int // of the model
		looks   int
		fault   council.FaultKind
		without bool // the member has no tools
	}{
		{"at once", []step{{text: "YES"}}, 1, 0, "", false},
		{"after one call", []step{call, {text: "YES"}}, 2, 1, "", false},
		{"after as many calls as there are", []step{call, call, {text: "YES"}}, 3, 2, "", false},
		{"after a repair and a call", []step{{text: "maybe"}, call, {text: "YES"}}, 3, 1, "", false},
		{"after more calls than there are", []step{call, call, call, {text: "YES"}}, 4, 2, "", false},
		{"never", []step{call}, 5, 2, council.FaultUnparsable, false},
		{"a call that was cut off", []step{{text: calling, stop: prompt.StopLength}, {text: "YES"}}, 2, 0, "", false},
		{"without tools a call is not an answer", []step{call}, 3, 0, council.FaultUnparsable, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, l := &fake{steps: test.steps}, &looker{}
			s := seat(m)
			if !test.without {
				s.Equip(l.Use)
			}
			r, err := s.Answer(t.Context(), equipped())
			if err != nil || len(m.asked) != test.calls || len(l.calls) != test.looks || len(r.Tools) != test.looks {
				t.Fatalf("%+v, %v; the model was called %d times, tools %d times", r, err, len(m.asked), len(l.calls))
			}
			if r.Usage.ElapsedMS < int64(10*test.looks) {
				t.Errorf("the time of the calls is not counted: %+v", r.Usage)
			}
			if got := r.Fault; test.fault == "" && got != nil || test.fault != "" && (got == nil || got.Kind != test.fault) {
				t.Errorf("fault %+v", got)
			}
			for i, p := range m.asked {
				if p.Try != i+1 || p.Digest == "" {
					t.Errorf("prompt %d is try %d", i+1, p.Try)
				}
			}
		})
	}
}

// While calls are left the provider must not hold a reply to the contract of an answer alone; afterwards it may.
func TestTooled_AContractAllowsACallWhileCallsAreLeft(t *testing.T) {
	m := &fake{steps: []step{{text: calling}, {text: calling}, {text: "YES"}}}
	s := seat(m).Equip((&looker{}).Use)
	contract := &prompt.Contract{Name: "reply.ballot"}
	s.next = func(v council.View) *prompt.Prompt { return &prompt.Prompt{View: v, Try: 1, Contract: contract} }
	check.Get(s.Answer(t.Context(), equipped()))(t)
	for i, want := range []bool{true, true, false} {
		if got := m.asked[i].Contract; got == nil || got.Name != contract.Name || got.OrCall != want {
			t.Errorf("call %d: %v", i+1, got)
		}
	}
	last := m.asked[2].Messages
	if len(last) != 4 || last[0].Content != `{"tool":"workspace.list","arguments":{}}` ||
		!strings.Contains(last[1].Content, "Call 1 of 2, workspace.list, returned:") ||
		!strings.Contains(last[1].Content, "result 1") || !strings.Contains(last[3].Content, "You have no calls left") {
		t.Errorf("%+v", last)
	}
}

// useTape is a tape in memory. It fails at one step.
type useTape struct {
	lines []string
	use   *council.ToolUse
	begun bool
	fail  string
}

func (t *useTape) RecallUse(*prompt.Prompt) (*council.ToolUse, bool, error) {
	return t.use, t.begun, t.note("recall")
}
func (t *useTape) Calling(*prompt.Prompt, council.ToolCall) error { return t.note("calling") }
func (t *useTape) Called(*prompt.Prompt, council.ToolUse) error   { return t.note("called") }

func (t *useTape) note(what string) error {
	t.lines = append(t.lines, what)
	if t.fail == what {
		return errors.New("the disk is full")
	}
	return nil
}

func TestTooled_ACallIsMadeOnceAndTakenFromTheTape(t *testing.T) {
	known := &council.ToolUse{Result: "of before"}
	for _, test := range []struct {
		name   string
		tape   useTape
		again  bool
		looks  int
		want   string
		lines  string
		damage bool
	}{
		{"for the first time", useTape{}, true, 1, "result 1", "recall calling called", false},
		{"after it came back", useTape{use: known, begun: true}, true, 0, "of before", "recall", false},
		{"cut off, where it only reads", useTape{begun: true}, true, 1, "result 1", "recall called", false},
		{"cut off, where it may write", useTape{begun: true}, false, 0, "Whether it took effect is unknown",
			"recall called", false},
		{"when it cannot be put on the tape", useTape{fail: "calling"}, true, 0, "", "recall calling", true},
		{"when the result cannot", useTape{fail: "called"}, true, 1, "", "recall calling called", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &looker{}
			use, err := WithToolLog(l.Use, &test.tape, func(council.ToolCall) bool { return test.again })(t.Context(),
				&prompt.Prompt{}, council.ToolCall{Tool: "t", Arguments: "{}"})
			var tape *CallLogError
			if errors.As(err, &tape) != test.damage || len(l.calls) != test.looks || !strings.Contains(use.Result, test.want) {
				t.Errorf("%+v, %v, called %d times", use, err, len(l.calls))
			}
			check.Equal(t, "it", test.lines, strings.Join(test.tape.lines, " "))
		})
	}
}

func TestTooled_ACallThatIsCalledOffSuspends(t *testing.T) {
	m := &fake{steps: []step{{text: calling}}}
	s := seat(m).Equip((&looker{err: context.Canceled}).Use)
	r, err := s.Answer(t.Context(), equipped())
	if err != nil || r.Fault == nil || r.Fault.Kind != council.FaultCancelled || len(r.Tools) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
