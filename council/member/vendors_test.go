package member_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// answer is one reply of a vendor's server.
type answer struct {
	status int
	header map[string]string
	body   string
}

// vendor is a server that answers with bodies recorded at others, the last one for ever, and records its requests.
type vendor struct {
	*httptest.Server
	calls  []*http.Request
	bodies []gjson.Result
}

func recorded(t *testing.T, answers ...answer) *vendor {
	t.Helper()
	v := &vendor{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a := answers[min(len(v.calls), len(answers)-1)]
		v.calls, v.bodies = append(v.calls, r), append(v.bodies, gjson.ParseBytes(body))
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(a.body, "data:") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		for name, value := range a.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.status)
		io.WriteString(w, a.body)
	}))
	t.Cleanup(v.Close)
	return v
}

// noon is the clock of these tests.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func (v *vendor) model(t *testing.T, provider, path string, quirks *endpoint.Quirks) *endpoint.Model {
	t.Helper()
	m := council.Model{Provider: provider, Model: "m-1", BaseURL: v.URL + path, APIKeyEnv: "TEST_KEY"}
	o := endpoint.Options{Getenv: environment, Quirks: quirks, Now: func() time.Time { return noon }}
	model := check.Get(endpoint.New(m, o))(t)
	return model
}

const plainReply = `{"id":"chat-1","model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":"{\"rationale\":\"sound\",\"ballot\":\"YES\"}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":70,"completion_tokens":9,"total_tokens":79}}`

// The form of docs.mistral.ai/capabilities/reasoning, and of github.com/BerriAI/litellm/issues/16272, which has a
// stream.
func TestCompletion_LeavesOutThoughts(t *testing.T) {
	whole :=
		`{"id":"6b4b","object":"chat.completion","model":"magistral-medium-2509","usage":{"prompt_tokens":10,"total_tokens":30,"completion_tokens":20},
		"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","tool_calls":null,"content":[
		{"type":"thinking","thinking":[{"type":"text","text":"They greet me."}]},{"type":"text","text":"Good "},{"type":"text","text":"day."}]}}]}`
	chunk := func(content, finish string) string {
		return fmt.Sprintf(
			`data: {"id":"c3c7","object":"chat.completion.chunk","created":1762355135,"model":"magistral-medium-2509","choices":[{"index":0,"delta":{"content":%s},"finish_reason":%s}]}`+"\n\n", content, finish)
	}
	stream := chunk(`""`, "null") +
		chunk(`[{"type":"thinking","thinking":[{"type":"text","text":"'s a greeting"}]}]`, "null") +
		chunk(`[{"type":"text","text":"Good "}]`, "null") + chunk(`"day."`, "null") + chunk(`""`, `"stop"`) +
		"data: [DONE]\n\n"
	for name, body := range map[string]string{"whole": whole, "stream": stream} {
		c, err := ask(recorded(t, answer{200, nil, body}).model(t, "openai-compatible", "", nil), question())
		if err != nil || c.Text != "Good day." {
			t.Errorf("%s: %q, %v", name, c.Text, err)
		}
	}
}

// Open models put their thoughts into the output of the responses protocol (docs.vllm.ai, openai.com's cookbook on
// gpt-oss: "reasoning" items with parts of the type reasoning_text).
func TestReasoningInAResponseIsNoPartOfItsAnswer(t *testing.T) {
	v := recorded(t, answer{200, nil,
		`{"id":"resp_1","object":"response","model":"gpt-oss-20b","status":"completed","output":[
		{"id":"rs_1","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"They greet me."}]},
		{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Good day."}]}]}`})
	model := check.Get(endpoint.New(council.Model{Provider: "vllm", Model: "m-1", BaseURL: v.URL, API: "responses"},
		endpoint.Options{Getenv: environment}))(t)
	if c, err := ask(model, question()); err != nil || c.Text != "Good day." {
		t.Errorf("%q, %v", c.Text, err)
	}
}

// noSystem are the words of servers whose model has no role for the text before a conversation: vLLM with the
// template of google/gemma-2-9b-it, llama.cpp with the same, Google for models/gemma-3, OpenAI for o1-mini, and vLLM
// with the template of Mistral-7B-Instruct-v0.2 (microsoft/autogen issue 1037).
var noSystem = []answer{
	{400, nil,
		`{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}`},
	{500, nil,
		`{"error":{"code":500,"message":"System role not supported at row 1, column 72:\n{{ bos_token }}","type":"server_error"}}`},
	{400, nil,
		`[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`},
	{400, nil,
		`{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}}`},
	{400, nil,
		`{"object":"error","message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"invalid_request_error","param":null,"code":null}`},
}

func TestAModelWithoutASystemRoleReadsItFromTheFirstMessage(t *testing.T) {
	for _, refusal := range noSystem {
		v := recorded(t, refusal, answer{200, nil, plainReply})
		quirks := &endpoint.Quirks{}
		for range 2 {
			if _, err := ask(v.model(t, "openai-compatible", "", quirks), question()); err != nil {
				t.Fatalf("%s: %v", refusal.body, err)
			}
		}
		if len(v.calls) != 3 {
			t.Errorf("%s: %d calls, want one more than two", refusal.body, len(v.calls))
		}
		for i, body := range v.bodies {
			roles, first := body.Get("messages.#.role").String(), body.Get("messages.0.content").String()
			if i == 0 && !strings.Contains(roles, "system") ||
				i > 0 && (roles != `["user","assistant","user"]` || first != "The charter.\n\nYou are Ada.\n\none") {
				t.Errorf("call %d: %s, %q", i, roles, first)
			}
		}
	}
}

// misshapen is the form of console.groq.com/docs/structured-outputs and of Bklieger/infinite-bookshelf issue 42.
const misshapen = `{"error":{"message":"Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"{\"rationale\": \"so"}}`

func TestAReplyThatItsServerCouldNotUseIsAskedForWithoutASchema(t *testing.T) {
	v := recorded(t, answer{400, nil, misshapen}, answer{200, nil, plainReply})
	c, err := ask(v.model(t, "openai-compatible", "", nil), structured())
	if err != nil || !strings.Contains(c.Text, "YES") || c.Usage.Calls != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if !v.bodies[0].Get("response_format").Exists() || v.bodies[1].Get("response_format").Exists() {
		t.Errorf("%s\n%s", v.bodies[0], v.bodies[1])
	}
	t.Run("the schema is sent again with the next question", func(t *testing.T) {
		quirks := &endpoint.Quirks{}
		v := recorded(t, answer{400, nil, misshapen}, answer{200, nil, plainReply})
		for range 2 {
			check.Get(ask(v.model(t, "openai-compatible", "", quirks), structured()))(t)
		}
		if len(v.calls) != 3 || !v.bodies[2].Get("response_format").Exists() {
			t.Errorf("%d calls", len(v.calls))
		}
	})
	t.Run("refused again, it is an unusable reply and no fault", func(t *testing.T) {
		v := recorded(t, answer{400, nil, misshapen})
		c, err := ask(v.model(t, "openai-compatible", "", nil), structured())
		if err != nil || c.Text != `{"rationale": "so` || c.Stop != prompt.StopEnd || len(v.calls) != 2 ||
			c.Usage.Calls != 2 {
			t.Errorf("%+v, %v after %d calls", c, err, len(v.calls))
		}
	})
}

// The addresses are those of learn.microsoft.com/azure/ai-foundry/openai/reference.
func TestAQueryInTheBaseURLGoesWithEveryCall(t *testing.T) {
	for base, want := range map[string]string{
		"/openai/deployments/gpt?api-version=2024-10-21": "/openai/deployments/gpt/chat/completions" +
			"?api-version=2024-10-21",
		"/openai/deployments/gpt/chat/completions?api-version=2024-10-21": "/openai/deployments/gpt/chat/completions" +
			"?api-version=2024-10-21",
		"/models?api-version=2024-05-01-preview": "/models/chat/completions" +
			"?api-version=2024-05-01-preview",
		"?api-version=preview": "/openai/v1/chat/completions?api-version=preview",
		"/openai/v1?api-version=preview&tenant=a": "/openai/v1/chat/completions" +
			"?api-version=preview&tenant=a",
	} {
		v := recorded(t, answer{200, nil, plainReply})
		model := v.model(t, "azure", base, nil)
		for range 2 {
			check.Get(ask(model, question()))(t)
		}
		for _, call := range v.calls {
			if call.RequestURI != want || call.Header.Get("Api-Key") != "key-"+secret || call.Header.Get("Authorization") != "" {
				t.Errorf("%s led to %s with %v", base, call.RequestURI, call.Header)
			}
		}
	}
	s := serve(t, messages, script{text: "x"})
	m := s.model(t, func(c *council.Model) { c.BaseURL += "/proxy?team=a" })
	if _, err := ask(m, question()); err != nil || s.paths[0] != "/proxy/v1/messages" {
		t.Errorf("%s, %v", s.paths, err)
	}
}

// The body is that of openrouter.ai/docs/use-cases/usage-accounting; is_byok is in its API reference.
func TestCost_IsAsOpenRouterBills(t *testing.T) {
	usage :=
		`{"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":0},"cost":0.95,"cost_details":{"upstream_inference_cost":19},"is_byok":%t,
		"prompt_tokens":194,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":100,"audio_tokens":0},"total_tokens":196}`
	stream := func(usage string) string {
		return `data: {"id":"gen-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}` + "\n\n" +
			": OPENROUTER PROCESSING\n\n" +
			`data: {"id":"gen-1","object":"chat.completion.chunk","model":"m","choices":[],"usage":` +
			strings.Join(strings.Fields(usage), "") + "}\n\ndata: [DONE]\n\n"
	}
	for _, test := range []struct {
		provider, body string
		want           council.Money
		calls          int
	}{
		{"openrouter", stream(fmt.Sprintf(usage, false)), council.Dollars(0.95), 1},
		{"openrouter", stream(fmt.Sprintf(usage, true)), council.Dollars(19.95), 1},
		{"openrouter", stream(`{"prompt_tokens":1,"completion_tokens":1,"cost":0}`), 0, 1},
		{"openrouter", stream(`{"prompt_tokens":1,"completion_tokens":1,"cost":-7}`), 0, 0},
		{"openrouter", stream(`{"prompt_tokens":1,"completion_tokens":1}`), 0, 0},
		{"openai-compatible", stream(fmt.Sprintf(usage, false)), 0, 0}, // its meaning there is unknown
	} {
		c, err := ask(recorded(t, answer{200, nil, test.body}).model(t, test.provider, "", nil), question())
		if err != nil || c.Usage.Billed != test.want || c.Usage.BilledCalls != test.calls {
			t.Errorf("%s: %+v, %v", test.provider, c.Usage, err)
		}
	}
}

// OpenAI counts reasoning in completion_tokens; xAI and Gemini show it in the total alone.
func TestUsage_CountsReasoningOnce(t *testing.T) {
	for name, usage := range map[string]string{
		"within": `"completion_tokens": 103, "completion_tokens_details": {"reasoning_tokens": 94}`,
		"beside": `"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 94}`,
		"silent": `"completion_tokens": 9`,
	} {
		v := recorded(t, answer{200, nil, `{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}],
			"usage": {"prompt_tokens": 32, "total_tokens": 135, ` + usage + `}}`})
		c, err := ask(v.model(t, "openai-compatible", "", nil), question())
		if u := c.Usage; err != nil || u.InputTokens != 32 || u.OutputTokens != 9 || u.ReasoningTokens != 94 {
			t.Errorf("%s: want 32, 9 and 94 tokens, got %+v, %v", name, u, err)
		}
	}
}

func TestALimitOfTheDayIsNotTriedAgain(t *testing.T) {
	midnight := noon.Add(12 * time.Hour)
	for _, test := range []struct {
		name   string
		answer answer
		words  string
	}{
		// Gitlawb/openclaude issue 936, and openrouter.ai/docs/api-reference/limits.
		{"OpenRouter",
			answer{429, nil,
				fmt.Sprintf(
					`{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"%d"},"provider_name":null}},"user_id":"user_1"}`,
					midnight.UnixMilli())},
			"429 Too Many Requests (resume after 2026-11-23 00:00 UTC): Rate limit exceeded: free-models-per-day"},
		{"OpenRouter, by header", answer{429, map[string]string{"X-RateLimit-Reset": fmt.Sprint(midnight.UnixMilli())},
			`{"error":{"message":"Rate limit exceeded: free-models-per-day-high-balance.","code":429}}`},
			"resume after 2026-11-23 00:00 UTC"},
		// google-gemini/gemini-cli issue 8437.
		{"Google",
			answer{429, nil,
				`[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[
			{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_requests","quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
			{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`},
			"a limit of the day: resume after midnight, Pacific time"},
		// console.groq.com/docs/rate-limits, and its community's threads on tokens per day.
		{"Groq",
			answer{429, map[string]string{"Retry-After": "492"},
				`{"error":{"message":"Rate limit reached for model in organization org_1 service tier on_demand on tokens per day (TPD): Limit 100000, Used 99336, Requested 1234. Please try again in 8m12.48s.","type":"tokens","code":"rate_limit_exceeded"}}`},
			"resume after 2026-11-22 12:08 UTC"},
		{"no time", answer{429, nil, `{"error":{"message":"Daily request limit reached."}}`},
			"resume when the provider's next day has begun"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := recorded(t, test.answer)
			policy := member.DefaultRetryPolicy()
			policy.Sleep = func(context.Context, time.Duration) error { return nil }
			_, err := ask(member.Retry(v.model(t, "openai-compatible", "", nil), policy), question())
			var call *member.CallError
			if !errors.As(err, &call) || call.Fault.Kind != council.FaultRate ||
				!strings.Contains(call.Fault.Message, test.words) || len(v.calls) != 1 {
				t.Errorf("%v after %d calls", err, len(v.calls))
			}
		})
	}
	t.Run("a limit of the minute is waited for", func(t *testing.T) {
		v := recorded(t, answer{429,
			map[string]string{"X-RateLimit-Reset": fmt.Sprint(noon.Add(40 * time.Second).UnixMilli())},
			`{"error":{"message":"Rate limit exceeded: free-models-per-min.","code":429}}`}, answer{200, nil, plainReply})
		var slept time.Duration
		policy := member.DefaultRetryPolicy()
		policy.Sleep = func(_ context.Context, d time.Duration) error { slept += d; return nil }
		if _, err := ask(member.Retry(v.model(t, "openai-compatible", "", nil), policy), question()); err != nil ||
			slept != 40*time.Second {
			t.Errorf("%v after %s", err, slept)
		}
	})
}
