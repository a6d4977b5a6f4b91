package member_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/endpoint"
)

// Servers of the chat completions protocol do not agree on whether completion_tokens count reasoning: OpenAI's do,
// xAI's and Gemini's do not, and only the total says so. Counted twice or not at all, it would be paid wrongly.
func TestReasoningIsCountedOnceWhereverTheServerCountsIt(t *testing.T) {
	for name, usage := range map[string]string{
		"within": `{"prompt_tokens": 32, "completion_tokens": 103, "total_tokens": 135, "completion_tokens_details": {"reasoning_tokens": 94}}`,
		"beside": `{"prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135, "completion_tokens_details": {"reasoning_tokens": 94}}`,
		"silent": `{"prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135}`,
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}], "usage": %s}`, usage)
			}))
			defer server.Close()
			m, err := endpoint.New(council.Model{Provider: "openai-compatible", Model: "m", BaseURL: server.URL},
				endpoint.Options{Getenv: func(string) string { return "" }})
			if err != nil {
				t.Fatal(err)
			}
			c, err := m.Complete(t.Context(), question())
			if err != nil {
				t.Fatal(err)
			}
			if u := c.Usage; u.InputTokens != 32 || u.OutputTokens != 9 || u.ReasoningTokens != 94 {
				t.Errorf("counted %+v", u)
			}
		})
	}
}
