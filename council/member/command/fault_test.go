//go:build unix

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/process"
)

func TestFault_FaultsOfProgramsAreNamed(t *testing.T) {
	tests := []struct {
		name           string
		errors, output string
		kind           council.FaultKind
		retryable      bool
		words          string
	}{
		{"it fails and says nothing", "", "", council.FaultFailed, false, "(exit status 3)"},
		{"it says what we do not know", "the moon is full", "", council.FaultFailed, false,
			"the moon is full (exit status 3)"},
		{"it complains in its output", "", "Invalid API key · Please run /login", council.FaultAuth, false,
			"it printed 36 bytes"},
		{"nobody is logged in", "Not logged in. Run: agent login", "", council.FaultAuth, false, "Not logged in"},
		{"401", "request failed: 401 Unauthorized", "", council.FaultAuth, false, "401"},
		{"too many calls", "API Error: 429 rate_limit_error", "", council.FaultRate, true, "429"},
		{"the plan is used up", "You've hit your usage limit. Try again at 3pm.", "", council.FaultRate, false,
			"usage limit"},
		{"no money", "Credit balance is too low", "", council.FaultBilling, false, "Credit balance"},
		{"no such model", "There's an issue with the selected model (opus-9)", "", council.FaultModelMissing, false,
			"selected model"},
		{"too long", "Prompt is too long", "", council.FaultContextTooLong, false, "too long"},
		{"overloaded", "529 overloaded_error", "", council.FaultFailed, true, "overloaded"},
		{"the network", "TypeError: fetch failed: ENOTFOUND", "", council.FaultTransport, true, "ENOTFOUND"},
		{"their own limit of time", "Request timed out.", "", council.FaultTimeout, true, "timed out"},
		{"their rules", "unable to respond to this request, which appears to violate our Usage Policy", "",
			council.FaultRefusal, false, "Usage Policy"},
		{"a secret of ours", "sent hunter2hunter2 and sk-abcdefgh", "", council.FaultFailed, false, "sent [cut] and [cut]"},
		{"colours", "\x1b[31mout of\x1b[0m\r\nink", "", council.FaultFailed, false, "out of"},
		{"a long story", strings.Repeat("trace ", 5000) + "hunter2hunter2 the cause at the end", "", council.FaultFailed,
			false, "the cause at the end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := shell(t, council.Model{Env: []string{"TOKEN"}}, fails, "3", test.errors, test.output)
			_, err := m.Complete(t.Context(), question("?"))
			call := check.As[*member.CallError](t, err)
			if call.Fault.Kind != test.kind || call.Retryable != test.retryable || call.Usage.Calls != 1 {
				t.Errorf("%s, retryable %t: %s", call.Fault.Kind, call.Retryable, call.Fault.Message)
			}
			if m := call.Fault.Message; !strings.Contains(m, test.words) || strings.Contains(m, "hunter2") ||
				strings.ContainsAny(m, "\x1b\n") {
				t.Errorf("it says %q", m)
			}
		})
	}
}

func TestFault_AReplyIsNotTakenFromAProgramThatFailed(t *testing.T) {
	for _, end := range []string{"exit 1", "kill -9 $$"} {
		_, err := shell(t, council.Model{}, "printf 'I vote YES'; "+end).Complete(t.Context(), question("?"))
		check.Is(t, end, council.FaultFailed, check.As[*member.CallError](t, err).Fault.Kind)
		check.NeverSays(t, err.Error(), "I vote")
	}
}

func TestFault_AProgramThatIsNotThereIsSaidBeforeItIsNeeded(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	check.OK(t, os.WriteFile(plain, []byte("x"), 0o600))
	for _, test := range []struct {
		model council.Model
		want  string
	}{
		{council.Model{Command: []string{"no-such-program-here"}}, "there is no program no-such-program-here"},
		{council.Model{Command: []string{filepath.Join(folder, "absent")}}, "there is no program"},
		{council.Model{Command: []string{plain}}, "is it executable?"},
		{council.Model{Command: []string{folder}}, "cannot be run"},
		{council.Model{Model: "copilot"},
			`knows no agent "copilot"; it knows claude, codex, gemini, opencode, qwen, and any other`},
		{council.Model{Model: "claude/--dangerously"}, "is not a model of claude"},
		{council.Model{Model: "claude/"}, "is not a model of claude"},
		{council.Model{Command: []string{"sh"}, BaseURL: "http://x"}, "does not use baseUrl"},
		{council.Model{Command: []string{"sh"}, Env: []string{"ABSENT"}}, "ABSENT, which is not set"},
		{council.Model{Command: []string{"sh"}, APIKeyEnv: "ABSENT"}, "ABSENT is not set"},
	} {
		check.Fails(t, fmt.Sprintf("%+v", test.model), check.Err(New(test.model, Options{Getenv: world})), test.want)
	}
}

func TestFault_AProgramThatVanishedIsAFaultThatSuspends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent")
	check.OK(t, os.WriteFile(path, []byte("#!/bin/sh\necho here\n"), 0o700))
	m := start(t, council.Model{}, []string{path})
	check.OK(t, os.Remove(path))
	_, err := m.Complete(t.Context(), question("?"))
	if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultModelMissing || call.Retryable {
		t.Errorf("%v", err)
	}
}

func TestFault_OwnProgramsNameTheirFaults(t *testing.T) {
	for printed, want := range map[string]member.CallError{
		`{"error": {"kind": "rate", "message": "later", "retryAfterSeconds": 2.5}}`: {
			Fault: council.Fault{Kind: council.FaultRate}, Retryable: true, RetryAfter: 2500 * time.Millisecond},
		`{"error": {"kind": "billing", "message": "pay"}}`: {Fault: council.Fault{Kind: council.FaultBilling}},
		`{"error": {"kind": "abandoned", "message": "x"}}`: {Fault: council.Fault{Kind: council.FaultFailed}},
		`{"error": {"message": "Not logged in"}}`:          {Fault: council.Fault{Kind: council.FaultAuth}},
		`{"error": {"kind": "rate", "retryAfterSeconds": -1e300}}`: {Fault: council.Fault{Kind: council.FaultRate},
			Retryable: true},
		`nothing`:                        {Fault: council.Fault{Kind: council.FaultRejected}},
		``:                               {Fault: council.Fault{Kind: council.FaultFailed}, Retryable: true},
		`{"text": 7}`:                    {Fault: council.Fault{Kind: council.FaultRejected}},
		`{"text": "cut`:                  {Fault: council.Fault{Kind: council.FaultFailed}, Retryable: true},
		`{"text": "a", "stop": "tired"}`: {Fault: council.Fault{Kind: council.FaultFailed}, Retryable: true},
	} {
		_, err := shell(t, council.Model{OutputFormat: "json"}, prints, printed).Complete(t.Context(), question("?"))
		call := check.As[*member.CallError](t, err)
		if call.Fault.Kind != want.Fault.Kind || call.Retryable != want.Retryable || call.RetryAfter != want.RetryAfter {
			t.Errorf("%s: %+v", printed, call)
		}
	}
}

// qwen ends well and answers with the error of its server; opencode says in colours that it lost a conversation.
func TestFault_FaultsOfAgentsAreNamedAsTheyPrintThem(t *testing.T) {
	for _, test := range []struct {
		agent     string
		out       process.Outcome
		kind      council.FaultKind
		forgotten bool
	}{
		{"qwen",
			process.Outcome{
				Output: []byte(`{"type":"result","subtype":"success","is_error":false,"result":"[API Error: 401 no such key]"}`)},
			council.FaultAuth, false},
		{"qwen", process.Outcome{Output: []byte(`{"type":"result","is_error":false,"result":"[API Error: 429 slow down]"}`)},
			council.FaultRate, false},
		{"qwen", process.Outcome{Code: 1, Errors: "No saved session found with ID 81bccbf2."}, council.FaultFailed, true},
		{"opencode",
			process.Outcome{Code: 1,
				Output: []byte(`{"type":"error","error":{"name":"APIError","data":{"message":"no such key","statusCode":401}}}`)},
			council.FaultAuth, false},
		{"opencode", process.Outcome{Code: 1, Errors: "\x1b[91m\x1b[1mError: \x1b[0mSession not found"},
			council.FaultFailed, true},
	} {
		_, err := agents()[test.agent].judge(test.out, true)
		if failed := check.As[*failure](t, err); failed.Kind != test.kind || failed.forgotten != test.forgotten {
			t.Errorf("%s, %s%s: %+v", test.agent, test.out.Output, test.out.Errors, failed)
		}
	}
}
