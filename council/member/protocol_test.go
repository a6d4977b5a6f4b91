package member_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// dialects are the protocols, and the providers that speak the first of them by a preset.
var dialects = []dialect{
	chat, responses, messages, gemini, speaking("openrouter"), azure, speaking("ollama"), speaking("lmstudio"),
	speaking("vllm"),
	speaking("llamacpp"), speaking("openai-compatible"),
}

// ignoring compares usages without the time, which tests do not control.
var ignoring = cmpopts.IgnoreFields(council.Usage{}, "ElapsedMS")

func TestProtocol_AReplyIsReadWholeByEveryProtocol(t *testing.T) {
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
				c := check.Get(ask(s.model(t), test.prompt))(t)
				want := test.want
				if want.Stop == "" {
					want.Stop = prompt.StopEnd
				}
				want.Usage = used
				want.Usage.Calls, want.Usage.Model = 1, "m-1-dated"
				want.RequestID = d.id
				check.Equal(t, "it", want, c, ignoring)
				if s.count() != 1 || s.paths[0] != d.path || s.keys[0] != "key-"+secret {
					t.Errorf("%d calls to %s with key %q", s.count(), s.paths, s.keys)
				}
			})
		}
	}
}

func TestProtocol_UsageIsNormalised(t *testing.T) {
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
				c := check.Get(ask(serve(t, d, script{text: "x", usage: test.usage}).model(t), question()))(t)
				test.usage.Calls, test.usage.Model = 1, "m-1-dated"
				check.Equal(t, "it", test.usage, c.Usage, ignoring)
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

func TestProtocol_AResponseMayRefuseInWordsOrFail(t *testing.T) {
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

func TestProtocol_WaitingEndsWithTheContext(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name+"/an idle stream is a timeout", func(t *testing.T) {
			s := serve(t, d, script{text: "I th", hang: true})
			_, err := ask(member.Timeout(s.model(t), member.Limits{Whole: 50 * time.Millisecond}, time.Now), question())
			if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultTimeout || !call.Retryable ||
				call.Usage.Calls != 1 {
				t.Errorf("%v", err)
			}
		})
		t.Run(d.name+"/the tokens of a late reply count", func(t *testing.T) {
			if d.name != messages.name {
				t.Skip("it counts tokens at the end")
			}
			s := serve(t, d, script{text: "I th", hang: true, usage: council.Usage{InputTokens: 70}})
			_, err := ask(member.Timeout(s.model(t), member.Limits{Whole: 50 * time.Millisecond}, time.Now), question())
			if call := check.As[*member.CallError](t, err); call.Usage.InputTokens != 70 || call.Usage.Calls != 1 {
				t.Errorf("want a fault with 70 tokens, got %+v, %v", call, err)
			}
		})
		t.Run(d.name+"/cancelled while it waits", func(t *testing.T) {
			s := serve(t, d, script{text: "I th", hang: true})
			ctx, cancel := context.WithCancel(context.Background())
			go func() { <-s.arrived; cancel() }()
			check.ErrorIs(t, "it", context.Canceled, check.Err(s.model(t).Complete(ctx, question())))
		})
		t.Run(d.name+"/nobody listens", func(t *testing.T) {
			s := serve(t, d, script{})
			m := s.model(t)
			s.Close()
			_, err := ask(m, question())
			if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultTransport || call.Retryable ||
				!strings.Contains(call.Fault.Message, "is the server running?") {
				t.Errorf("%v", err)
			}
		})
	}
}
