package endpoint_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// Servers whose model has no role for the text before a conversation: vLLM with the template of google/gemma-2-9b-it,
// llama.cpp with the same, Google for models/gemma-3, OpenAI for o1-mini, and vLLM with the template of
// Mistral-7B-Instruct-v0.2 (microsoft/autogen issue 1037).
func TestVendors_AModelWithoutASystemRoleReadsItFromTheFirstMessage(t *testing.T) {
	for words, status := range map[string]int{
		`{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}`: 400,
		`{"error":{"code":500,"message":"System role not supported at row 1, column 72:\n{{ bos_token }}"}}`:        500,
		`[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it"}}]`:       400,
		`{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model."}}`:  400,
		`{"object":"error","message":"Conversation roles must alternate user/assistant/user/assistant/..."}`:        400,
	} {
		u := newUntidy(answer{status: status, body: words}, answer{body: whole("chat", "Yes.", "stop")})
		check.Get(u.model(t, "chat", nil).Complete(t.Context(), asked(false)))(t)
		if first := u.bodies[1].Get("messages.0").String(); u.calls() != 2 ||
			first != `{"content":"The charter.\n\nYou are Ada.\n\nWhat now?","role":"user"}` {
			t.Errorf("%s: %d calls, the last with %s", words, u.calls(), first)
		}
	}
}

// misshapen is the form of console.groq.com/docs/structured-outputs and of Bklieger/infinite-bookshelf issue 42.
const misshapen = `{"error":{"message":"Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"{\"rationale\": \"so"}}`

func TestVendors_AReplyThatItsServerCouldNotUseIsAskedForWithoutASchema(t *testing.T) {
	refused := answer{status: 400, body: misshapen}
	v := newUntidy(refused, answer{body: whole("chat", vote, "stop")})
	c, err := v.model(t, "chat", nil).Complete(t.Context(), asked(true))
	if err != nil || !strings.Contains(c.Text, "YES") || c.Usage.Calls != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if !v.bodies[0].Get("response_format").Exists() || v.bodies[1].Get("response_format").Exists() {
		t.Errorf("%s\n%s", v.bodies[0], v.bodies[1])
	}
	t.Run("the schema is sent again with the next question", func(t *testing.T) {
		quirks := &endpoint.Quirks{Now: time.Now}
		v := newUntidy(refused, answer{body: whole("chat", vote, "stop")})
		for range 2 {
			check.Get(v.model(t, "chat", quirks).Complete(t.Context(), asked(true)))(t)
		}
		if v.calls() != 3 || !v.bodies[2].Get("response_format").Exists() {
			t.Errorf("%d calls", v.calls())
		}
	})
	t.Run("refused again, it is an unusable reply and no fault", func(t *testing.T) {
		v := newUntidy(refused)
		c, err := v.model(t, "chat", nil).Complete(t.Context(), asked(true))
		if err != nil || c.Text != `{"rationale": "so` || c.Stop != prompt.StopEnd || v.calls() != 2 ||
			c.Usage.Calls != 2 {
			t.Errorf("%+v, %v after %d calls", c, err, v.calls())
		}
	})
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
		m := newUntidy(answer{body: test.body}).open(t, council.Model{Provider: test.provider, Model: "m"}, nil)
		c, err := m.Complete(t.Context(), asked(false))
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
		u := newUntidy(answer{body: `{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}],
			"usage": {"prompt_tokens": 32, "total_tokens": 135, ` + usage + `}}`})
		c, err := u.model(t, "chat", nil).Complete(t.Context(), asked(false))
		if u := c.Usage; err != nil || u.InputTokens != 32 || u.OutputTokens != 9 || u.ReasoningTokens != 94 {
			t.Errorf("%s: want 32, 9 and 94 tokens, got %+v, %v", name, u, err)
		}
	}
}

// The bodies are those of Gitlawb/openclaude issue 936 and openrouter.ai/docs/api-reference/limits,
// google-gemini/gemini-cli issue 8437, and console.groq.com/docs/rate-limits.
func TestVendors_ALimitOfTheDayIsNotTriedAgain(t *testing.T) {
	reset := func(d time.Duration) string { return fmt.Sprint(theirClock.Add(d).UnixMilli()) }
	for name, test := range map[string]struct {
		answer
		words string
	}{
		"OpenRouter": {answer{body: `{"error":{"message":"Rate limit exceeded: free-models-per-day","code":429,"metadata":` +
			`{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"` + reset(12*time.Hour) + `"}}}}`},
			"429 Too Many Requests (resume after 2026-11-27 00:00 UTC): Rate limit exceeded: free-models-per-day"},
		"OpenRouter, by header": {answer{header: map[string]string{"X-RateLimit-Reset": reset(12 * time.Hour)},
			body: `{"error":{"message":"Rate limit exceeded: free-models-per-day-high-balance.","code":429}}`},
			"resume after 2026-11-27 00:00 UTC"},
		"Google": {answer{body: `[{"error":{"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED",` +
			`"details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}]`},
			"a limit of the day: resume after midnight, Pacific time"},
		"Groq": {answer{header: map[string]string{"Retry-After": "492"}, body: `{"error":{"message":"Rate limit reached on ` +
			`tokens per day (TPD): Limit 100000, Used 99336. Please try again in 8m12.48s."}}`},
			"resume after 2026-11-26 12:08 UTC"},
		"no time": {answer{body: `{"error":{"message":"Daily request limit reached."}}`},
			"resume when the provider's next day has begun"},
	} {
		test.status = 429
		u := newUntidy(test.answer)
		_, err := member.Retry(u.model(t, "chat", nil), member.DefaultRetryPolicy()).Complete(t.Context(), asked(false))
		if call := callError(t, err); call.Fault.Kind != council.FaultRate ||
			!strings.Contains(call.Fault.Message, test.words) || u.calls() != 1 {
			t.Errorf("%s: %v after %d calls", name, err, u.calls())
		}
	}
	u := newUntidy(answer{status: 429, header: map[string]string{"X-RateLimit-Reset": reset(40 * time.Second)},
		body: `{"error":{"message":"Rate limit exceeded: free-models-per-min."}}`}, answer{body: whole("chat", "Yes.", "stop")})
	var slept time.Duration
	policy := member.DefaultRetryPolicy()
	policy.Sleep = func(_ context.Context, d time.Duration) error { slept += d; return nil }
	check.Get(member.Retry(u.model(t, "chat", nil), policy).Complete(t.Context(), asked(false)))(t)
	check.Is(t, "a limit of the minute is waited for", 40*time.Second, slept)
}
