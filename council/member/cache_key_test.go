package member_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/internal/check"
)

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
