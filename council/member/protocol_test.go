package member_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// protocols are the dialects that differ in more than address and key.
var protocols = []dialect{chat, responses, messages, gemini}

// dialects are the protocols, and the providers that speak the first of them by a preset.
var dialects = append(protocols, speaking("openrouter"), azure, speaking("ollama"), speaking("lmstudio"),
	speaking("vllm"), speaking("llamacpp"), speaking("openai-compatible"))

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
	for _, d := range protocols {
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
	for _, d := range protocols {
		for _, test := range tests {
			t.Run(d.name+"/"+test.name, func(t *testing.T) {
				c := check.Get(ask(serve(t, d, script{text: "x", usage: test.usage}).model(t), question()))(t)
				test.usage.Calls, test.usage.Model = 1, "m-1-dated"
				check.Equal(t, "it", test.usage, c.Usage, ignoring)
			})
		}
	}
	for name, test := range map[string]struct {
		server dialect
		script script
		want   council.Usage
	}{
		"no usage at all": {chat, script{noUsage: true}, council.Usage{}},
		"written to the cache": {messages, script{usage: council.Usage{InputTokens: 3, CachedTokens: 10, CacheWriteTokens: 50,
			OutputTokens: 5}}, council.Usage{InputTokens: 3, CachedTokens: 10, CacheWriteTokens: 50, OutputTokens: 5}},
		"claims that are absurd": {messages, script{usage: council.Usage{InputTokens: 1 << 62, OutputTokens: -7}},
			council.Usage{InputTokens: 1 << 40}},
	} {
		c := check.Get(ask(serve(t, test.server, test.script).model(t), question()))(t)
		test.want.Calls, test.want.Model = 1, "m-1-dated"
		check.Equal(t, name, test.want, c.Usage, ignoring)
	}
}

func TestProtocol_AResponseMayRefuseInWordsOrFail(t *testing.T) {
	answered := func(end string) (prompt.Completion, error) {
		body := `data: {"type":"response.created","response":{"id":"r"}}` + "\n\n" + end + "\n\n"
		header := map[string]string{"Content-Type": "text/event-stream"}
		return ask(serve(t, responses, script{status: 200, body: body, header: header}).model(t), question())
	}
	c := check.Get(answered(`data: {"type":"response.refusal.delta","delta":"I will not."}` + "\n\n" +
		`data: {"type":"response.completed","response":{"status":"completed","output":[]}}`))(t)
	check.Is(t, "the refusal", "I will not.", c.Text)
	check.Is(t, "its end", prompt.StopRefusal, c.Stop)
	_, err := answered(`data: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error",` +
		`"message":"oops"}}}`)
	check.Is(t, "the fault", council.FaultFailed, faultOf(err))
}

func TestProtocol_WaitingEndsWithTheContext(t *testing.T) {
	for _, d := range protocols {
		t.Run(d.name+"/an idle stream is a timeout", func(t *testing.T) {
			s := serve(t, d, script{text: "I th", hang: true, usage: council.Usage{InputTokens: 70}})
			_, err := ask(member.Timeout(s.model(t), member.Limits{Whole: 50 * time.Millisecond}, time.Now), question())
			counted := map[string]int64{messages.name: 70}[d.name] // the others count at the end
			if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultTimeout || !call.Retryable ||
				call.Usage.Calls != 1 || call.Usage.InputTokens != counted {
				t.Errorf("%v, %+v", err, call.Usage)
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

// The calls of a session carry one key at OpenAI's own server. Servers that may refuse an unknown field get none.
func TestCacheKey_IsSentToTheServerThatTakesIt(t *testing.T) {
	keyOf := func(m council.Model, session council.SessionID) string {
		var sent []byte
		m.Model = "m"
		server := roundTrip(func(r *http.Request) (*http.Response, error) {
			sent, _ = io.ReadAll(r.Body)
			return nil, errors.New("nothing is sent here")
		})
		one := check.Get(endpoint.New(m, endpoint.Options{Client: &http.Client{Transport: server},
			Getenv: func(string) string { return "key" }}))(t)
		q := question()
		q.View.Session = session
		_, _ = one.Complete(t.Context(), q) // it fails: nothing is sent
		if sent == nil {
			t.Fatalf("%+v: no request was made", m)
		}
		return gjson.GetBytes(sent, "prompt_cache_key").String()
	}
	key := keyOf(council.Model{Provider: "openai"}, "s1")
	if len(key) != 64 { // as many characters as OpenAI takes
		t.Errorf("the key is %q", key)
	}
	check.Is(t, "the key in the responses protocol", key, keyOf(council.Model{Provider: "openai", API: "responses"}, "s1"))
	if other := keyOf(council.Model{Provider: "openai"}, "s2"); other == key || other == "" {
		t.Errorf("another session has the key %q", other)
	}
	for _, m := range []council.Model{
		{Provider: "openai", BaseURL: "https://gateway.example.org/v1"}, {Provider: "gemini"}, {Provider: "openrouter"},
		{Provider: "azure", BaseURL: "https://x.openai.azure.com", APIKeyEnv: "KEY"}, {Provider: "anthropic"},
		{Provider: "ollama"}, {Provider: "vllm"}, {Provider: "llamacpp"}, {Provider: "lmstudio"},
		{Provider: "openai-compatible", BaseURL: "https://llm.example.org"},
	} {
		check.Is(t, "the key for "+m.Provider+" at "+m.BaseURL, "", keyOf(m, "s1"))
	}
	check.Is(t, "the key outside of a session", "", keyOf(council.Model{Provider: "openai"}, ""))
}
