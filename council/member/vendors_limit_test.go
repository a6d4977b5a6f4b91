package member_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

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
