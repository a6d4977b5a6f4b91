package endpoint_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/internal/check"
)

// untidy is a server without a network that answers with given bodies in turn, the last one for ever, and counts its
// calls.
type untidy struct {
	answers []answer

	mu     sync.Mutex
	bodies []gjson.Result
}

// answer is a response. A header "Content-Type" of "none" leaves the label out.
type answer struct {
	status int // 0: 200
	header map[string]string
	body   string
}

func newUntidy(answers ...answer) *untidy { return &untidy{answers: answers} }

func (u *untidy) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	w := httptest.NewRecorder()
	u.mu.Lock()
	a := u.answers[min(len(u.bodies), len(u.answers)-1)]
	u.bodies = append(u.bodies, gjson.ParseBytes(body))
	u.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if w.Header().Get("Content-Type") == "none" {
		w.Header()["Content-Type"] = nil
	}
	if a.status > 0 {
		w.WriteHeader(a.status)
	}
	io.WriteString(w, a.body)
	response := w.Result()
	response.Request = r
	return response, nil
}

func (u *untidy) calls() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.bodies)
}

// apis are the three protocols as a charter names them, with the provider that speaks each.
var apis = map[string]council.Model{
	"chat":      {Provider: "openai-compatible", Model: "m"},
	"responses": {Provider: "openai-compatible", Model: "m", API: "responses"},
	"messages":  {Provider: "anthropic", Model: "m"},
}

// theirClock is the clock of the tests about waits.
var theirClock = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func (u *untidy) model(t testing.TB, api string, quirks *endpoint.Quirks) *endpoint.Model {
	t.Helper()
	return u.open(t, apis[api], quirks)
}

func (u *untidy) open(t testing.TB, c council.Model, quirks *endpoint.Quirks) *endpoint.Model {
	t.Helper()
	c.BaseURL, c.APIKeyEnv = "http://127.0.0.1:8000", "KEY"
	client := &http.Client{Transport: u,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return check.Get(endpoint.New(c, endpoint.Options{Quirks: quirks, Client: client,
		Getenv: func(string) string { return "a-key-of-ours" }, Now: func() time.Time { return theirClock }}))(t)
}

// asked returns a prompt: for an object if there is a contract.
func asked(contract bool) *prompt.Prompt {
	p := &prompt.Prompt{Try: 1, System: prompt.System{Shared: "The charter.", Persona: "You are Ada."},
		Messages: []prompt.Message{{Role: prompt.User, Content: "What now?"}}}
	if contract {
		p.Contract = &prompt.Contract{Name: "reply.ballot", Forms: []form.Form{{{Name: "ballot", Type: form.Text,
			May: []string{"YES", "NO"}}}}}
	}
	return p
}

const (
	vote     = `{"ballot":"YES","rationale":"cheap"}`
	document = "# Design\n\n## Decision\n\nPostgres stays for now.\n\n## Rollout Plan\n\n1. Measure.\n"
)

func quoted(text string) string {
	doc, _ := json.Marshal(text)
	return string(doc)
}

// The parts of a stream in each protocol: a text, and the end with a reason.
func said(api, text string) string {
	return map[string]string{
		"chat":      `data: {"choices":[{"index":0,"delta":{"content":` + quoted(text) + `},"finish_reason":null}]}`,
		"responses": `data: {"type":"response.output_text.delta","delta":` + quoted(text) + `}`,
		"messages": "event: content_block_delta\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + quoted(text) + `}}`,
	}[api] + "\n\n"
}

func ended(api, reason string) string {
	switch {
	case api == "chat":
		return `data: {"choices":[{"index":0,"delta":{},"finish_reason":` + quoted(reason) + `}]}` + "\n\ndata: [DONE]\n\n"
	case api == "messages":
		return `data: {"type":"message_delta","delta":{"stop_reason":` + quoted(reason) + `}}` + "\n\n" +
			`data: {"type":"message_stop"}` + "\n\n"
	case reason == "stop" || reason == "completed":
		return `data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n"
	}
	return `data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":` +
		quoted(reason) + `}}}` + "\n\n"
}

// whole returns a reply that is one document.
func whole(api, text, reason string) string {
	return map[string]string{
		"chat": `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":` + quoted(text) +
			`},"finish_reason":` + quoted(reason) + `}],"usage":{"prompt_tokens":9,"completion_tokens":7}}`,
		"responses": `{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text",` +
			`"text":` + quoted(text) + `}]}],"usage":{"input_tokens":9,"output_tokens":7}}`,
		"messages": `{"type":"message","content":[{"type":"text","text":` + quoted(text) + `}],"stop_reason":` +
			quoted(reason) +
			`,"usage":{"input_tokens":9,"output_tokens":7}}`,
	}[api]
}

func callError(t testing.TB, err error) *member.CallError {
	t.Helper()
	return check.As[*member.CallError](t, err)
}

// read returns the reply that is read from a response, and refused the fault of one that brings none.
func read(t *testing.T, api string, a answer, contract bool) prompt.Completion {
	t.Helper()
	return check.Get(newUntidy(a).model(t, api, nil).Complete(t.Context(), asked(contract)))(t)
}

func refused(t *testing.T, api string, a answer, contract bool) *member.CallError {
	t.Helper()
	return callError(t, check.Err(newUntidy(a).model(t, api, nil).Complete(t.Context(), asked(contract))))
}

func TestReply_EndsOnlyByAKnownReason(t *testing.T) {
	for reason, want := range map[string]string{
		"stop": "end", "STOP": "end", "end_turn": "end", "stop_sequence": "end", "eos": "end", "eos_token": "end",
		"EOS": "end", "COMPLETE": "end", "end-turn": "end",
		"length": "length", "MAX_TOKENS": "length", "max_tokens": "length", "max_output_tokens": "length",
		"model_length": "length", "token_limit": "length", "model_context_window_exceeded": "length", "max-tokens": "length",
		"content_filter": "refusal", "content-filter": "refusal", "SAFETY": "refusal", "RECITATION": "refusal",
		"blocked": "refusal", "sensitive": "refusal", "PROHIBITED_CONTENT": "refusal", "guardrail_intervened": "refusal",
		"error": "failed", "network_error": "failed", "abort": "failed", "aborted": "failed", "cancelled": "failed",
		"insufficient_system_resource": "failed", "pause_turn": "failed", "MALFORMED_FUNCTION_CALL": "failed",
		"error_finish": "failed", "whatever_comes_next": "failed", "stopped early": "failed", "unstop": "failed",
	} {
		for api := range apis {
			if api == "responses" && want == "end" && reason != "stop" {
				continue // its end has a name of its own
			}
			t.Run(api+"/"+reason, func(t *testing.T) {
				a := answer{body: said(api, document) + ended(api, reason)}
				if want != "failed" {
					c := read(t, api, a, false)
					check.Is(t, "the stop", want, string(c.Stop))
					check.Is(t, "the text", document, c.Text)
					return
				}
				call := refused(t, api, a, false)
				if call.Fault.Kind != council.FaultFailed || !call.Retryable || !strings.Contains(call.Fault.Message, reason) ||
					strings.Contains(call.Fault.Message, "cut off") {
					t.Errorf("want a fault that names the reason and may pass, got %v, retryable %t", call, call.Retryable)
				}
			})
		}
	}
}

func TestReply_WithoutAReason(t *testing.T) {
	const part = "# Design\n\n1. Measu"
	done := "data: [DONE]\n\n"
	for _, test := range []struct {
		name, text string
		contract   bool
		want       prompt.Stop
	}{
		{"an object, then the end mark", vote, true, prompt.StopEnd},
		{"an object in a fence", "```json\n" + vote + "\n```", true, prompt.StopEnd},
		{"half an object", vote[:20], true, prompt.StopUnknown},
		{"an object behind a half one", "{\"a\": [\n" + vote, true, prompt.StopUnknown},
		{"a document", part, false, prompt.StopUnknown},
	} {
		for api := range apis {
			text := test.text
			for end, cut := range map[string]bool{done: false, "": true} {
				t.Run(fmt.Sprintf("%s/%s/%t", api, test.name, cut), func(t *testing.T) {
					a := answer{body: said(api, text) + end}
					if cut && test.want == prompt.StopUnknown {
						call := refused(t, api, a, test.contract)
						if call.Fault.Kind != council.FaultTransport || !call.Retryable {
							t.Errorf("want a reply that was cut off, got %v", call)
						}
						check.Says(t, call.Error(), "cut off")
						return
					}
					if c := read(t, api, a, test.contract); c.Stop != test.want || c.Text != text {
						t.Errorf("want stop %q, got %q, %q", test.want, c.Stop, c.Text)
					}
				})
			}
		}
	}
	lines := `{"choices":[{"index":0,"message":{"content":"# Des"}}]}` + "\n" +
		`{"choices":[{"index":0,"message":{"content":"ign"},"finish_reason":"stop"}]}`
	if c := read(t, "chat", answer{body: lines}, false); c.Stop != prompt.StopEnd || c.Text != "# Design" {
		t.Errorf("lines with messages: stop %q, %q", c.Stop, c.Text)
	}
	for api := range apis {
		body := strings.NewReplacer(`"finish_reason":"x"`, `"finish_reason":null`, `"stop_reason":"x"`, `"stop_reason":null`,
			`"status":"completed",`, "").Replace(whole(api, part, "x"))
		if c := read(t, api, answer{body: body}, false); c.Stop != prompt.StopUnknown || c.Text != part {
			t.Errorf("%s: one document without a reason: stop %q, %q", api, c.Stop, c.Text)
		}
	}
}

func TestReply_ErrorInTheMidstEndsTheCall(t *testing.T) {
	for _, test := range []struct {
		name, event string
		kind        council.FaultKind
		retryable   bool
		words       string
	}{
		{"a field of llama.cpp", `error: {"code":500,"message":"Context size has been exceeded.","type":"server_error"}`,
			council.FaultContextTooLong, false, "Context size has been exceeded"},
		{"a field with plain words", "error: worker died", council.FaultFailed, true, "worker died"},
		{"an event", "event: error\ndata: {\"code\":500,\"message\":\"upstream went away\"}", council.FaultFailed, true,
			"upstream went away"},
		{"an event with plain words", "event: error\ndata: upstream went away", council.FaultFailed, true,
			"upstream went away"},
		{"vLLM", `data: {"object":"error","message":"overloaded","code":503}`, council.FaultFailed, true, "overloaded"},
		{"FastAPI", `data: {"detail":"worker died"}`, council.FaultFailed, true, "worker died"},
		{"OpenAI", `data: {"error":{"message":"slot unavailable","code":503}}`, council.FaultFailed, true,
			"slot unavailable"},
		{"Anthropic", "event: error\n" + `data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			council.FaultFailed, true, "Overloaded"},
		{"Anthropic's without a type", `data: {"error":{"type":"rate_limit_error","message":"Slow down, please"}}`,
			council.FaultRate, true, "Slow down, please"},
		{"a bare line", `{"error":{"message":"the key has expired","type":"authentication_error"}}`, council.FaultAuth, false,
			"the key has expired"},
		{"in the choice", `data: {"choices":[{"index":0,"error":{"code":502,"message":"provider disconnected"},` +
			`"delta":{"content":""},"finish_reason":"error"}]}`, council.FaultFailed, true, "provider disconnected"},
		{"Bedrock behind a relay", `data: {"message":"Too many tokens, please wait before trying again."}`, council.FaultRate,
			true, "please wait"},
		{"a string", `data: {"error":"internal"}`, council.FaultFailed, true, "internal"},
		{"behind the reason", `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
			`data: {"error":{"message":"it was not whole"}}`, council.FaultFailed, true, "it was not whole"},
	} {
		for api := range apis {
			for name, before := range map[string]string{"first": "", "midst": said(api, "# Design\n\n1. Measu")} {
				t.Run(api+"/"+test.name+"/"+name, func(t *testing.T) {
					call := refused(t, api, answer{body: before + test.event + "\n\ndata: [DONE]\n\n"}, false)
					if call.Fault.Kind != test.kind || call.Retryable != test.retryable {
						t.Errorf("want %s, retryable %t; got %v, %t", test.kind, test.retryable, call, call.Retryable)
					}
					check.Says(t, call.Fault.Message, test.words)
					check.NeverSays(t, call.Fault.Message, "cut off")
				})
			}
		}
	}
}

func TestReply_ReadByItsFirstBytes(t *testing.T) {
	chunks := `{"choices":[{"index":0,"delta":{"content":"{\"ballot\":\"YES\","}}]}` + "\n" +
		`{"choices":[{"index":0,"delta":{"content":"\"rationale\":\"cheap\"}"},"finish_reason":"stop"}]}`
	for api := range apis {
		document, stream := whole(api, vote, "stop"), said(api, vote[:9])+said(api, vote[9:])+ended(api, "stop")
		bodies := map[string]string{
			"a document": document, "a document behind a mark": "\ufeff" + document,
			"a document behind white space": "\n\n  \r\n" + document,
			"a stream":                      stream, "a stream behind a mark": "\ufeff" + stream,
			"a stream with carriage returns": strings.ReplaceAll(stream, "\n", "\r\n"),
			"a stream without empty lines":   strings.ReplaceAll(stream, "\n\n", "\n"),
			"a stream behind comments":       ": still working\n\n: still working\n\n" + stream,
			"a stream without a last line":   strings.TrimRight(strings.TrimSuffix(stream, "data: [DONE]\n\n"), "\n"),
		}
		if api == "chat" {
			bodies["lines"], bodies["a list"] = chunks, "["+strings.ReplaceAll(chunks, "\n", ",")+"]"
			for _, none := range []string{`{}`, `""`, `null`, `{"message":""}`, `{"code":0,"message":null}`, `[]`, `false`} {
				bodies["an empty error "+none] = strings.TrimSuffix(document, "}") + `,"error":` + none + "}"
			}
			bodies["an end mark behind a document"] = document + "\n\ndata: [DONE]\n\n"
		}
		for name, body := range bodies {
			for _, label := range []string{"application/json", "text/event-stream", "text/plain", "text/html; charset=utf-8",
				"application/problem+json", "application/x-ndjson", "none"} {
				u := newUntidy(answer{header: map[string]string{"Content-Type": label}, body: body})
				c, err := u.model(t, api, nil).Complete(t.Context(), asked(true))
				if err != nil || c.Text != vote || c.Stop != prompt.StopEnd || u.calls() != 1 {
					t.Errorf("%s, %s labelled %s: %q, stop %q, %v", api, name, label, c.Text, c.Stop, err)
				}
			}
		}
	}
}
