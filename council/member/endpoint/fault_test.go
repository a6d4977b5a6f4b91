package endpoint_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/internal/check"
)

func TestFault_NeverQuotesAReply(t *testing.T) {
	const words = "MY SEALED WORDS"
	position := `{\"position\":\"` + words + `\"}`
	reply := `{"choices":[{"message":{"content":"` + position + `"}}]`
	bodies := map[string]string{
		"an error in words beside choices": reply + `,"error":"x"}`,
		"an error without words":           reply + `,"error":{"code":5}}`,
		"no choices but a result":          `{"result":"` + words + `","error":{"type":"x"}}`,
		"a response":                       `{"response":{"text":"` + words + `"}}`,
		"a message of a chat": `{"model":"m","message":{"role":"assistant","content":"` + words +
			`"},"done":true}`,
		"half a reply":              reply[:len(reply)-3],
		"lines behind half a reply": reply + "\nUpdate available: " + words,
		"a stream": `data: {"choices":[{"delta":{"content":"` + words + `"}}]}` +
			"\n\ndata: {oops\n\n",
		"a reply in an error's message": `{"error":{"message":"cannot read {\"choices\":[{\"text\":\"` + words +
			`\"}]}"}}`,
		"a ballot in an error's message": `{"error":{"message":"cannot read ` + position + `"}}`,
		"the prompt in an error": `{"detail":[{"loc":["body","messages",0,"content"],"msg":"Input should be a valid string",` +
			`"input":[{"text":"` + words + `"}]}]}`,
		"the raw words of a provider": `{"error":{"message":"failed","metadata":{"raw":"{\"content\":\"` + words + `\"}"}}}`,
	}
	for name, body := range bodies {
		for _, status := range []int{200, 400, 500} {
			for api := range apis {
				call := refused(t, api, answer{status: status, body: body}, true)
				if strings.Contains(call.Fault.Message, "SEALED") || call.Fault.Message == "" {
					t.Errorf("%s, %d, %s: the fault says %q", name, status, api, call.Fault.Message)
				}
			}
		}
	}
	for _, body := range []string{reply + "}", reply + `,"error":"x"}`} {
		check.Says(t, refused(t, "chat", answer{status: 500, body: body}, true).Error(),
			fmt.Sprintf("JSON of %d bytes that may hold a reply is not shown", len(body)))
	}
}

func TestFault_IsClassifiedByItsMeaning(t *testing.T) {
	for _, test := range []struct {
		status    int
		words     string
		kind      council.FaultKind
		retryable bool
		after     time.Duration
	}{
		{429, "Too many tokens, please wait before trying again.", council.FaultRate, true, 0},
		{503, "Too many tokens, please wait before trying again.", council.FaultRate, true, 0},
		{503, "Too many tokens", council.FaultRate, true, 0},
		{429, "This model's maximum context length is reached too often", council.FaultRate, true, 0},
		{400, "ThrottlingException: Too many tokens", council.FaultRate, true, 0},
		{400, "Rate limit reached for requests", council.FaultRate, true, 0},
		{400, "This model's maximum context length is 8192 tokens", council.FaultContextTooLong, false, 0},
		{400, "Please reduce the prompt: too many tokens, and try again", council.FaultContextTooLong, false, 0},
		{400, "The input token count exceeds the maximum number of tokens allowed.", council.FaultContextTooLong, false, 0},
		{500, "the request exceeds the available context size. try increasing it", council.FaultContextTooLong, false, 0},
		{429, "Please retry after 45 seconds.", council.FaultRate, true, 45 * time.Second},
		{429, "Rate limit reached. Try again in 9 seconds.", council.FaultRate, true, 9 * time.Second},
		{400, "Busy. Try again in 1 minute and 5 seconds.", council.FaultRate, true, 65 * time.Second},
		{429, "Please retry in 34.5s.", council.FaultRate, true, 34500 * time.Millisecond},
		{429, "Please wait 2 mins", council.FaultRate, true, 2 * time.Minute},
		{429, "Limit 100000. Please try again in 7m12.5s. Need more?", council.FaultRate, true, 432500 * time.Millisecond},
		{429, "It resets at 2026-11-26 12:00:20 UTC.", council.FaultRate, true, 20 * time.Second},
		{400, "You have reached your usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", council.FaultRate,
			true, 4*24*time.Hour + 12*time.Hour},
		{429, "You have reached your monthly usage limit.", council.FaultBilling, false, 0},
		{429, "Monthly quota exceeded. Try again in 10 seconds.", council.FaultBilling, false, 0},
		{403, "The spending limit of the project is reached", council.FaultBilling, false, 0},
		{429, "Daily request limit reached.", council.FaultRate, false, 12 * time.Hour},
		{402, "Insufficient credits", council.FaultBilling, false, 0},
		{404, "The model was shut down last month", council.FaultModelMissing, false, 0},
		{503, "no healthy upstream", council.FaultFailed, true, 0},
		{500, "The server had an error. Please try again.", council.FaultFailed, true, 0},
		{529, "Overloaded", council.FaultFailed, true, 0},
		{200, "Unexpected endpoint or method. (POST /v1/messages)", council.FaultRejected, false, 0},
		{407, "log in first", council.FaultRejected, false, 0},
		{401, "bad key", council.FaultAuth, false, 0},
		{403, "not for you", council.FaultAuth, false, 0},
		{400, "Your credit balance is too low", council.FaultBilling, false, 0},
		{429, "insufficient_quota: check your plan", council.FaultBilling, false, 0},
		{404, "model m-1 not found", council.FaultModelMissing, false, 0},
		{400, "x is not a valid model ID", council.FaultModelMissing, false, 0},
		{408, "too slow", council.FaultTimeout, true, 0},
		{413, "too large", council.FaultContextTooLong, false, 0},
		{400, "messages: no", council.FaultRejected, false, 0},
		{400, "content_filter: filtered", council.FaultRefusal, false, 0},
	} {
		for api := range apis {
			for form, body := range map[string]string{
				"an object": `{"error":{"message":` + quoted(test.words) + `}}`, "a string": `{"error":` + quoted(test.words) + `}`,
				"a message": `{"message":` + quoted(test.words) + `}`, "a list": `[{"error":{"message":` + quoted(test.words) +
					`}}]`,
				"in a string": `{"error":{"message":` + quoted(`{"error":{"message":`+quoted(test.words)+`}}`) + `}}`,
			} {
				u := newUntidy(answer{status: test.status, body: body})
				_, err := u.model(t, api, nil).Complete(t.Context(), asked(false))
				call := callError(t, err)
				if call.Fault.Kind != test.kind || call.Retryable != test.retryable || call.RetryAfter != test.after ||
					u.calls() != 1 {
					t.Errorf("%d %q, %s by %s: want %s, retryable %t after %s; got %v, %t after %s, %d calls", test.status,
						test.words, form, api, test.kind, test.retryable, test.after, err, call.Retryable, call.RetryAfter, u.calls())
				}
			}
		}
	}
}

type header = map[string]string

func TestFault_WaitsAreReadFromHeadersAndBodies(t *testing.T) {
	later := theirClock.Add(45 * time.Second)
	for _, test := range []struct {
		name string
		answer
		want time.Duration
	}{
		{"a date of HTTP", answer{header: header{"Retry-After": "Thu, 26 Nov 2026 12:00:45 GMT"}}, 45 * time.Second},
		{"a date in UTC", answer{header: header{"Retry-After": "Thu, 26 Nov 2026 12:00:45 UTC"}}, 45 * time.Second},
		{"a date with an offset", answer{header: header{"Retry-After": "Thu, 26 Nov 2026 13:00:45 +0100"}}, 45 * time.Second},
		{"an old date of HTTP", answer{header: header{"Retry-After": "Thursday, 26-Nov-26 12:00:45 GMT"}}, 45 * time.Second},
		{"a date of ISO", answer{header: header{"Retry-After": "2026-11-26T12:00:45Z"}}, 45 * time.Second},
		{"without a zone", answer{header: header{"Retry-After": "2026-11-26T12:00:45"}}, 45 * time.Second},
		{"a length", answer{header: header{"Retry-After": "9s"}}, 9 * time.Second},
		{"a length in words", answer{header: header{"Retry-After": "9 seconds"}}, 9 * time.Second},
		{"seconds since 1970", answer{header: header{"Retry-After": fmt.Sprint(later.Unix())}}, 45 * time.Second},
		{"requests", answer{header: header{"x-ratelimit-reset-requests": "9s"}}, 9 * time.Second},
		{"the limit that is reached", answer{header: header{"x-ratelimit-reset-requests": "3s",
			"x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-tokens": "1m30s", "x-ratelimit-remaining-tokens": "0"}},
			90 * time.Second},
		{"both limits", answer{header: header{"x-ratelimit-reset-requests": "3s",
			"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-tokens": "1s", "x-ratelimit-remaining-tokens": "0"}},
			3 * time.Second},
		{"Anthropic", answer{header: header{"anthropic-ratelimit-requests-reset": "2026-11-26T12:00:45Z"}}, 45 * time.Second},
		{"the draft of IETF", answer{header: header{"RateLimit-Reset": "9"}}, 9 * time.Second},
		{"in milliseconds", answer{header: header{"X-RateLimit-Reset": fmt.Sprint(later.UnixMilli())}}, 45 * time.Second},
		{"retry_after", answer{body: `{"error":{"message":"slow down","retry_after":9}}`}, 9 * time.Second},
		{"retry_after at the top", answer{body: `{"message":"slow down","retry_after":"9s"}`}, 9 * time.Second},
		{"codex",
			answer{body: fmt.Sprintf(`{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached",`+
				`"resets_at":%d}}`, theirClock.Add(time.Hour).Unix())}, time.Hour},
		{"a limit of the day beside that of a minute", answer{header: header{"x-ratelimit-reset-tokens": "9s"},
			body: `{"error":{"message":"Requests per day (RPD): limit 50"}}`}, 12 * time.Hour},
		{"Google's day", answer{body: `[{"error":{"status":"RESOURCE_EXHAUSTED","message":"Quota exceeded","details":[` +
			`{"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]},{"retryDelay":"34s"}]}}]`}, 20 * time.Hour},
		{"Google's minute", answer{body: `[{"error":{"status":"RESOURCE_EXHAUSTED","message":"Quota exceeded.","details":[` +
			`{"@type":"google.rpc.Help"},{"@type":"google.rpc.RetryInfo","retryDelay":"34.5s"}]}}]`}, 34500 * time.Millisecond},
		{"a header before words", answer{header: header{"Retry-After": "3"},
			body: `{"error":{"message":"try again in 9 seconds"}}`}, 3 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.status = 429
			if test.header == nil {
				test.header = map[string]string{}
			}
			test.header["Date"] = theirClock.Format(http.TimeFormat)
			if test.body == "" {
				test.body = `{"error":{"message":"slow down"}}`
			}
			call := refused(t, "chat", test.answer, false)
			if call.Fault.Kind != council.FaultRate || call.RetryAfter != test.want {
				t.Errorf("want a rate limit of %s, got %v, %s", test.want, call, call.RetryAfter)
			}
		})
	}
}

func TestFault_MisconfigurationStopsAtTheFirstCall(t *testing.T) {
	for name, a := range map[string]answer{
		"a page":               {header: map[string]string{"Content-Type": "text/html"}, body: "<!doctype html>Log in"},
		"a page without label": {header: map[string]string{"Content-Type": "none"}, body: "\n <html>Log in</html>"},
		"LM Studio":            {body: `{"error":"Unexpected endpoint or method. (POST /v1/messages)"}`},
		"a proxy":              {status: 407, body: "<html>Proxy</html>"},
		"a context that is full": {body: said("chat", "# A") +
			`error: {"code":500,"message":"Context size has been exceeded.","type":"server_error"}` + "\n\ndata: [DONE]\n\n"},
	} {
		u := newUntidy(a)
		policy := member.DefaultRetryPolicy()
		policy.Sleep = func(context.Context, time.Duration) error { return nil }
		_, err := member.Retry(u.model(t, "chat", nil), policy).Complete(t.Context(), asked(true))
		if callError(t, err); u.calls() != 1 {
			t.Errorf("%s: want one call, got %d: %v", name, u.calls(), err)
		}
	}
}

func TestFault_OfResponsesThatAreNoReply(t *testing.T) {
	page := map[string]string{"Content-Type": "text/html"}
	moved := map[string]string{"Location": "https://elsewhere.example/v1"}
	for name, test := range map[string]struct {
		answer
		kind      council.FaultKind
		retryable bool
		words     string
	}{
		"a page instead of a reply": {answer{header: page, body: "<html>hello</html>"}, council.FaultRejected, false,
			"is the baseUrl right?"},
		"404 with a page": {answer{status: 404, body: "<html>nothing here</html>"}, council.FaultModelMissing, false,
			"is the baseUrl right?"},
		"502 with a page": {answer{status: 502, body: "<html>bad gateway</html>"}, council.FaultFailed, true,
			"502 Bad Gateway"},
		"a redirect": {answer{status: 307, header: moved, body: "moved"}, council.FaultRejected, false,
			"elsewhere.example"},
		"a malformed stream":   {answer{body: "data: {\"choices\": [{<<<\n\n"}, council.FaultFailed, true, "not in the form"},
		"a malformed document": {answer{body: "{not json"}, council.FaultFailed, true, "not in the form"},
	} {
		for api := range apis {
			call := refused(t, api, test.answer, false)
			if call.Fault.Kind != test.kind || call.Retryable != test.retryable {
				t.Errorf("%s by %s: want %s, retryable %t; got %v, %t", name, api, test.kind, test.retryable, call, call.Retryable)
			}
			check.Says(t, call.Fault.Message, test.words)
		}
	}
}

func TestFault_TokensOfFailedTriesAreCounted(t *testing.T) {
	usage := map[string]string{"chat": `"usage":{"prompt_tokens":9,"completion_tokens":7}`,
		"responses": `"usage":{"input_tokens":9,"output_tokens":7}`,
		"messages":  `"usage":{"input_tokens":9,"output_tokens":7}`}
	for api := range apis {
		for name, a := range map[string]answer{
			"a refusal": {status: 500, body: `{"error":{"message":"oops"},` + usage[api] + "}"},
			"an error beside a reply": {body: strings.TrimSuffix(whole(api, vote, "stop"), "}") +
				`,"error":{"message":"oops"}}`},
			"a reply that was stopped":  {body: strings.Replace(whole(api, vote, "abort"), `"completed"`, `"failed"`, 1)},
			"an error behind the usage": {body: "data: {" + usage[api] + "}\n\nevent: error\ndata: oops\n\n"},
		} {
			if u := refused(t, api, a, true).Usage; u.InputTokens != 9 || u.OutputTokens != 7 || u.Calls != 1 {
				t.Errorf("%s by %s: want 9 and 7 tokens of one call, got %+v", name, api, u)
			}
		}
	}
}

func TestRequest_LeavesOutRefusedFields(t *testing.T) {
	for _, test := range []struct {
		name, api, words string
		sent             string // a path of the first body
		instead          string // a path of the second one
		text             string // that is there
	}{
		{"marks for the cache", "messages", `{"error":{"message":"system.0.cache_control: Extra inputs are not permitted"}}`,
			"system.0.cache_control", "system", "The charter.\n\nYou are Ada."},
		{"a system prompt as a list", "messages", `{"error":{"message":"system: Input should be a valid string"}}`,
			"system.0.text",
			"system", "The charter.\n\nYou are Ada."},
		{"a content as a list", "messages", `{"detail":[{"type":"string_type","loc":["body","messages",0,"content"],` +
			`"msg":"Input should be a valid string","input":[{}]}]}`, "messages.0.content.0.text", "messages.0.content",
			"What now?"},
		{"that nothing is to be stored", "responses", `{"error":{"message":"Unknown parameter: 'store'."}}`, "store", "model",
			"m"},
		{"system messages", "responses", `{"detail":"System messages are not allowed"}`, "input.0.content", "instructions",
			"The charter.\n\nYou are Ada."},
		{"system messages of a chat", "chat", `{"error":{"message":"System messages are not allowed"}}`, "messages.0.content",
			"messages.0.content", "The charter.\n\nYou are Ada.\n\nWhat now?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := newUntidy(answer{status: 400, body: test.words}, answer{body: whole(test.api, "Yes.", "stop")})
			quirks := &endpoint.Quirks{Now: time.Now}
			for range 2 {
				c := check.Get(u.model(t, test.api, quirks).Complete(t.Context(), asked(false)))(t)
				check.Is(t, "the reply", "Yes.", c.Text)
			}
			check.Is(t, "one call more than two", 3, u.calls())
			for i, body := range u.bodies {
				if i == 0 && !body.Get(test.sent).Exists() || i > 0 && body.Get(test.instead).String() != test.text ||
					i > 0 && test.sent == "store" && body.Get("store").Exists() {
					t.Errorf("call %d sends %s", i+1, body.Raw)
				}
			}
		})
	}
	t.Run("instructions that are refused too", func(t *testing.T) {
		u := newUntidy(answer{status: 400, body: `{"detail":"System messages are not allowed"}`},
			answer{status: 400, body: `{"detail":"Instructions are not valid"}`}, answer{body: whole("responses", "Yes.", "")})
		if _, err := u.model(t, "responses", nil).Complete(t.Context(), asked(false)); err != nil || u.calls() != 3 ||
			u.bodies[2].Get("input.0.content").String() != "The charter.\n\nYou are Ada.\n\nWhat now?" {
			t.Errorf("%v after %d calls", err, u.calls())
		}
	})
	t.Run("other words do not cost the marks, or what is stored", func(t *testing.T) {
		for api, words := range map[string]string{"messages": "messages: text content blocks must be non-empty",
			"responses": "The vector store was not found"} {
			u := newUntidy(answer{status: 400, body: `{"error":{"message":"` + words + `"}}`})
			if _, err := u.model(t, api, nil).Complete(t.Context(), asked(false)); callError(t, err).Fault.Kind !=
				council.FaultRejected || u.calls() != 1 {
				t.Errorf("%s: %v after %d calls", words, err, u.calls())
			}
		}
	})
}
