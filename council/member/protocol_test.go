package member_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// dialects are the protocols, and the providers that speak the first of them by a preset.
var dialects = []dialect{
	chat, responses, messages, gemini, speaking("openrouter"), azure, speaking("ollama"), speaking("lmstudio"),
	speaking("vllm"),
	speaking("llamacpp"), speaking("openai-compatible"),
}

// ignoring compares usages without the time, which nobody controls here.
var ignoring = cmpopts.IgnoreFields(council.Usage{}, "ElapsedMS")

func TestAReplyIsReadWholeByEveryProtocol(t *testing.T) {
	vote := `{"rationale":"sound","ballot":"YES"}`
	used := council.Usage{InputTokens: 70, OutputTokens: 9}
	tests := []struct {
		name   string
		script script
		prompt *prompt.Prompt
		want   prompt.Completion
	}{
		{"answer", script{text: "Yes, I think so.", usage: used}, question(), prompt.Completion{Text: "Yes, I think so."}},
		{"structured answer", script{text: vote, usage: used}, structured(), prompt.Completion{Text: vote}},
		{"truncated", script{text: `{"rationale":"so`, stop: prompt.StopLength, usage: used}, structured(),
			prompt.Completion{Text: `{"rationale":"so`, Stop: prompt.StopLength}},
		{"refusal", script{text: "I would", stop: prompt.StopRefusal, usage: used}, question(),
			prompt.Completion{Text: "I would", Stop: prompt.StopRefusal}},
		{"empty", script{usage: used}, question(), prompt.Completion{}},
		{"not JSON", script{text: "I vote <yes>", usage: used}, structured(), prompt.Completion{Text: "I vote <yes>"}},
		{"signs of life in between", script{text: "one two three", usage: used, keep: true}, question(),
			prompt.Completion{Text: "one two three"}},
		{"a server that cannot stream", script{text: "all at once", usage: used, whole: true}, question(),
			prompt.Completion{Text: "all at once"}},
		{"text beyond ASCII", script{text: "Grüße, 評議会 🏛", usage: used}, question(), prompt.Completion{Text: "Grüße, 評議会 🏛"}},
	}
	for _, d := range dialects {
		for _, test := range tests {
			t.Run(d.name+"/"+test.name, func(t *testing.T) {
				s := serve(t, d, test.script)
				c, err := ask(s.model(t), test.prompt)
				if err != nil {
					t.Fatal(err)
				}
				want := test.want
				if want.Stop == "" {
					want.Stop = prompt.StopEnd
				}
				want.Usage = used
				want.Usage.Calls, want.Usage.Model = 1, "m-1-dated"
				want.RequestID = d.id
				if diff := cmp.Diff(want, c, ignoring); diff != "" {
					t.Error(diff)
				}
				if s.count() != 1 || s.paths[0] != d.path || s.keys[0] != "key-"+secret {
					t.Errorf("%d calls to %s with key %q", s.count(), s.paths, s.keys)
				}
			})
		}
	}
}

func TestUsageIsNormalised(t *testing.T) {
	tests := []struct {
		name  string
		usage council.Usage
	}{
		{"nothing cached", council.Usage{InputTokens: 100, OutputTokens: 5}},
		{"a part cached", council.Usage{InputTokens: 20, CachedTokens: 80, OutputTokens: 5}},
		{"all cached", council.Usage{CachedTokens: 100, OutputTokens: 5}},
		{"reasoning before the reply", council.Usage{InputTokens: 20, OutputTokens: 5, ReasoningTokens: 300}},
		{"nothing but reasoning", council.Usage{InputTokens: 20, ReasoningTokens: 300}},
	}
	for _, d := range dialects {
		for _, test := range tests {
			t.Run(d.name+"/"+test.name, func(t *testing.T) {
				c, err := ask(serve(t, d, script{text: "x", usage: test.usage}).model(t), question())
				if err != nil {
					t.Fatal(err)
				}
				test.usage.Calls, test.usage.Model = 1, "m-1-dated"
				if diff := cmp.Diff(test.usage, c.Usage, ignoring); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
	t.Run("openai/no usage at all", func(t *testing.T) {
		c, err := ask(serve(t, chat, script{text: "x", noUsage: true}).model(t), question())
		if err != nil || c.Usage.Tokens() != 0 || c.Usage.Calls != 1 {
			t.Errorf("%+v, %v", c.Usage, err)
		}
	})
	t.Run("anthropic/written to the cache", func(t *testing.T) {
		wrote := council.Usage{InputTokens: 3, CachedTokens: 10, CacheWriteTokens: 50, OutputTokens: 5}
		c, err := ask(serve(t, messages, script{text: "x", usage: wrote}).model(t), question())
		if err != nil || c.Usage.CacheWriteTokens != 50 || c.Usage.Tokens() != 68 {
			t.Errorf("%+v, %v", c.Usage, err)
		}
	})
	t.Run("claims that are absurd", func(t *testing.T) {
		absurd := council.Usage{InputTokens: 1 << 62, OutputTokens: -7}
		c, err := ask(serve(t, messages, script{text: "x", usage: absurd}).model(t), question())
		if err != nil || c.Usage.InputTokens > 1<<40 || c.Usage.OutputTokens != 0 {
			t.Errorf("%+v, %v", c.Usage, err)
		}
	})
}

func TestAFaultIsNamedByEveryProtocol(t *testing.T) {
	date := "Mon, 02 Nov 2026 10:00:00 GMT"
	tests := []struct {
		name      string
		script    script
		kind      council.FaultKind
		retryable bool
		after     time.Duration
		words     string
	}{
		{"401", script{status: 401, kind: "authentication_error", words: "bad key key-" + secret}, council.FaultAuth, false,
			0, "bad key [cut]"},
		{"403", script{status: 403, kind: "permission_error", words: "not for you"}, council.FaultAuth, false, 0,
			"not for you"},
		{"402", script{status: 402, kind: "billing_error", words: "pay first"}, council.FaultBilling, false, 0, "pay first"},
		{"quota spent under 429", script{status: 429, kind: "insufficient_quota", words: "check your plan"},
			council.FaultBilling, false, 0, "check your plan"},
		{"credit spent under 400", script{status: 400, kind: "invalid_request_error",
			words: "Your credit balance is too low"}, council.FaultBilling, false, 0, "credit balance"},
		{"404 model", script{status: 404, kind: "not_found_error", words: "model m-1 not found"}, council.FaultModelMissing,
			false, 0, "model m-1 not found"},
		{"404 page", script{status: 404, body: "<html>nothing here</html>"}, council.FaultModelMissing, false, 0,
			"is the baseUrl right?"},
		{"unknown model under 400", script{status: 400, kind: "invalid_request_error", words: "x is not a valid model ID"},
			council.FaultModelMissing, false, 0, "not a valid model"},
		{"408", script{status: 408, kind: "timeout", words: "too slow"}, council.FaultTimeout, true, 0, "too slow"},
		{"413", script{status: 413, kind: "request_too_large", words: "too large"}, council.FaultContextTooLong, false, 0,
			"too large"},
		{"context under 400", script{status: 400, kind: "invalid_request_error", words: "prompt is too long: 250000 tokens"},
			council.FaultContextTooLong, false, 0, "250000"},
		{"429 in seconds", script{status: 429, kind: "rate_limit_error", words: "slow down",
			header: map[string]string{"Retry-After": "20"}}, council.FaultRate, true, 20 * time.Second, "slow down"},
		{"429 in milliseconds",
			script{status: 429, kind: "rate_limit_error", words: "slow down", header: map[string]string{"Retry-After-Ms": "1500",
				"Retry-After": "2"}}, council.FaultRate, true, 1500 * time.Millisecond, "slow down"},
		{"429 with a date",
			script{status: 429, kind: "rate_limit_error", words: "slow down", header: map[string]string{"Date": date,
				"Retry-After": "Mon, 02 Nov 2026 10:00:30 GMT"}}, council.FaultRate, true, 30 * time.Second, "slow down"},
		{"500", script{status: 500, kind: "api_error", words: "internal"}, council.FaultFailed, true, 0, "internal"},
		{"502 page", script{status: 502, body: "<html>bad gateway</html>"}, council.FaultFailed, true, 0, "502 Bad Gateway"},
		{"529", script{status: 529, kind: "overloaded_error", words: "Overloaded"}, council.FaultFailed, true, 0,
			"Overloaded"},
		{"400", script{status: 400, kind: "invalid_request_error", words: "messages: no"}, council.FaultRejected, false, 0,
			"messages: no"},
		{"a filter under 400", script{status: 400, kind: "content_filter", words: "filtered"}, council.FaultRefusal, false, 0,
			"filtered"},
		{"redirect",
			script{status: 307, body: "moved", header: map[string]string{"Location": "https://elsewhere.example/v1"}},
			council.FaultRejected, false, 0, "elsewhere.example"},
		{"overload inside a reply", script{text: "I th", status: 200, inside: true, kind: "overloaded_error",
			words: "Overloaded"}, council.FaultFailed, true, 0, "Overloaded"},
		{"rate inside a reply", script{text: "I th", status: 200, inside: true, kind: "rate_limit_error", words: "too many"},
			council.FaultRate, true, 0, "too many"},
		{"key inside a reply", script{text: "I th", status: 200, inside: true, kind: "authentication_error",
			words: "revoked"}, council.FaultAuth, false, 0, "revoked"},
		{"cut stream", script{text: "I th", cut: true}, council.FaultTransport, true, 0, "cut off"},
		{"malformed stream", script{garbled: true}, council.FaultFailed, true, 0, "not in the form"},
		{"malformed document", script{status: 200, body: "{not json",
			header: map[string]string{"Content-Type": "application/json"}}, council.FaultFailed, true, 0, "not in the form"},
		{"a page instead of a reply", script{status: 200, body: "<html>hello</html>",
			header: map[string]string{"Content-Type": "text/html"}}, council.FaultRejected, false, 0,
			"is the baseUrl right?"},
	}
	for _, d := range dialects {
		for _, test := range tests {
			t.Run(d.name+"/"+test.name, func(t *testing.T) {
				s := serve(t, d, test.script)
				_, err := ask(s.model(t), question())
				var call *member.CallError
				if !errors.As(err, &call) {
					t.Fatalf("%T %v", err, err)
				}
				if call.Fault.Kind != test.kind || call.Retryable != test.retryable || call.RetryAfter != test.after {
					t.Errorf("kind %s, retryable %t, after %s: %s", call.Fault.Kind, call.Retryable, call.RetryAfter,
						call.Fault.Message)
				}
				if !strings.Contains(call.Fault.Message, test.words) || strings.Contains(call.Fault.Message, secret) {
					t.Errorf("words: %s", call.Fault.Message)
				}
				if s.count() != 1 || call.Usage.Calls != 1 {
					t.Errorf("%d calls, %d counted: the SDK must not try again", s.count(), call.Usage.Calls)
				}
			})
		}
	}
}

func TestGeminiSaysInTheBodyHowLongToWait(t *testing.T) {
	s := serve(t, gemini, script{status: 429,
		body: `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Quota exceeded.",
		"details":[{"@type":"type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}]`})
	_, err := ask(s.model(t), question())
	var call *member.CallError
	if !errors.As(err, &call) || call.Fault.Kind != council.FaultRate || call.RetryAfter != 34500*time.Millisecond {
		t.Errorf("%+v, %v", call, err)
	}
}

func TestAResponseMayRefuseFailOrBeOfAGatewaysOwnMaking(t *testing.T) {
	event := func(doc string) string { return "data: " + doc + "\n\n" }
	sse := map[string]string{"Content-Type": "text/event-stream"}
	begun := event(`{"type":"response.created","response":{"id":"r"}}`)
	tests := []struct {
		name, body string
		want       prompt.Completion
		kind       council.FaultKind
	}{
		{"a refusal in words", begun + event(`{"type":"response.refusal.delta","delta":"I will not."}`) +
			event(`{"type":"response.completed","response":{"status":"completed","output":[]}}`),
			prompt.Completion{Text: "I will not.", Stop: prompt.StopRefusal}, ""},
		{"text that was not streamed", begun + event(`{"type":"response.completed","response":{"status":"completed","output":[
			{"type":"reasoning"},{"type":"message","content":[{"type":"output_text","text":"Here."}]}]}}`),
			prompt.Completion{Text: "Here.", Stop: prompt.StopEnd}, ""},
		{"an end mark of a gateway", event(`{"type":"response.output_text.delta","delta":"Here."}`) +
			event(`{"type":"response.completed","response":{"status":"completed"}}`) + "data: [DONE]\n\n",
			prompt.Completion{Text: "Here.", Stop: prompt.StopEnd}, ""},
		{"an error event", begun + event(`{"type":"error","code":"rate_limit_exceeded","message":"slow down"}`),
			prompt.Completion{}, council.FaultRate},
		{"an error of a gateway", begun + event(`{"error":{"code":"insufficient_quota","message":"pay"}}`),
			prompt.Completion{}, council.FaultBilling},
		{"cancelled over there",
			begun +
				event(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"}}}`),
			prompt.Completion{}, council.FaultFailed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reply := script{status: 200, body: strings.ReplaceAll(test.body, "\n\t", ""), header: sse}
			c, err := ask(serve(t, responses, reply).model(t), question())
			var call *member.CallError
			if test.kind != "" {
				if !errors.As(err, &call) || call.Fault.Kind != test.kind {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || c.Text != test.want.Text || c.Stop != test.want.Stop {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name+"/an idle stream is a timeout", func(t *testing.T) {
			s := serve(t, d, script{text: "I th", hang: true})
			_, err := ask(member.Timeout(s.model(t), member.Limits{Whole: 50 * time.Millisecond}, time.Now), question())
			var call *member.CallError
			if !errors.As(err, &call) || call.Fault.Kind != council.FaultTimeout || !call.Retryable || call.Usage.Calls != 1 {
				t.Errorf("%v", err)
			}
		})
		t.Run(d.name+"/the tokens of a late reply count", func(t *testing.T) {
			if d.name != messages.name {
				t.Skip("it counts tokens at the end")
			}
			s := serve(t, d, script{text: "I th", hang: true, usage: council.Usage{InputTokens: 70}})
			_, err := ask(member.Timeout(s.model(t), member.Limits{Whole: 50 * time.Millisecond}, time.Now), question())
			var call *member.CallError
			if !errors.As(err, &call) || call.Usage.InputTokens != 70 || call.Usage.Calls != 1 {
				t.Errorf("want a fault with 70 tokens, got %+v, %v", call, err)
			}
		})
		t.Run(d.name+"/cancelled while it waits", func(t *testing.T) {
			s := serve(t, d, script{text: "I th", hang: true})
			ctx, cancel := context.WithCancel(context.Background())
			go func() { <-s.arrived; cancel() }()
			if _, err := s.model(t).Complete(ctx, question()); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
		t.Run(d.name+"/nobody listens", func(t *testing.T) {
			s := serve(t, d, script{})
			m := s.model(t)
			s.Close()
			_, err := ask(m, question())
			var call *member.CallError
			if !errors.As(err, &call) || call.Fault.Kind != council.FaultTransport || call.Retryable ||
				!strings.Contains(call.Fault.Message, "is the server running?") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestRetriesEndInAnAnswer(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			s := serve(t, d,
				script{status: 429, kind: "rate_limit_error", header: map[string]string{"Retry-After": "7"}},
				script{text: "I th", cut: true, usage: council.Usage{InputTokens: 11}},
				script{status: http.StatusInternalServerError},
				script{text: "Here I am.", usage: council.Usage{InputTokens: 11, OutputTokens: 3}})
			var waits []time.Duration
			policy := member.Patient()
			policy.Sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
			c, err := ask(member.Retry(s.model(t), policy), question())
			if err != nil || c.Text != "Here I am." || c.Usage.Calls != 4 || s.count() != 4 {
				t.Errorf("%+v, %v after %d calls", c, err, s.count())
			}
			if diff := cmp.Diff([]time.Duration{7 * time.Second, 2 * time.Second, 4 * time.Second}, waits); diff != "" {
				t.Error(diff)
			}
			if c.Usage.ElapsedMS < 13_000 {
				t.Errorf("the waits do not count: %d ms", c.Usage.ElapsedMS)
			}
		})
	}
}
