package member

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestHeaders(t *testing.T) {
	env := map[string]string{"A": "va", "B_2": "vb"}
	m := council.Model{Headers: map[string]string{"X-Plain": "as $A is", "X-One": "t ${A}", "X-Two": "${A}/${B_2}"}}
	headers, secrets, err := Headers(m, func(name string) string { return env[name] })
	want := map[string]string{"X-Plain": "as $A is", "X-One": "t va", "X-Two": "va/vb"}
	check.OK(t, err)
	check.Equal(t, "headers", want, headers)
	check.Equal(t, "it", []string{"va", "va", "vb"}, secrets)
	m.Headers["X-Bad"] = "${NOT_SET}"
	_, _, err = Headers(m, func(name string) string { return env[name] })
	check.ErrorIs(t, "it", ErrNoKey, err)
	check.Fails(t, "it", err, "NOT_SET")
}

func TestLoopback(t *testing.T) {
	for base, want := range map[string]bool{
		"http://localhost:1": true, "http://127.0.0.1/v1": true, "http://127.9.9.9": true, "http://[::1]:80/": true,
		"http://a.localhost": true,
		"":                   false, "http://192.168.0.1": false, "http://localhost.example.com": false,
		"http://10.0.0.1": false, "://": false,
	} {
		check.Is(t, base, want, Loopback(base))
	}
}

func TestKind_DependsOnTheServersAddress(t *testing.T) {
	const unknown = council.ProviderCompatible
	tests := []struct {
		model          council.Model
		provider       string
		schemaIsPrompt bool
	}{
		{council.Model{Provider: "openai"}, "openai", true},
		{council.Model{Provider: "openai", BaseURL: "http://127.0.0.1:8000"}, unknown, false},
		{council.Model{Provider: "openai", BaseURL: "https://gateway.example/v1"}, unknown, true},
		{council.Model{Provider: unknown, BaseURL: "http://localhost:1234/v1"}, unknown, false},
		{council.Model{Provider: unknown, BaseURL: "https://gateway.example/v1"}, unknown, true},
		{council.Model{Provider: "vllm", BaseURL: "https://gpu.example/v1"}, "vllm", false},
		{council.Model{Provider: "anthropic", BaseURL: "https://gateway.example"}, "anthropic", true},
		{council.Model{Provider: "openai-codex", BaseURL: "https://chatgpt.example/backend-api"}, unknown, true},
		{council.Model{Provider: "house", BaseURL: "http://127.0.0.1:9/v1", API: "openai-codex-responses"}, unknown, false},
		{council.Model{Provider: "house", BaseURL: "https://gateway.example", API: "anthropic-messages"}, "anthropic", true},
		{council.Model{Provider: "anthropic", BaseURL: "https://g.example/v1", API: "openai-completions"}, unknown, true},
		{council.Model{Provider: "openai-codex"}, "openai-codex", false},
	}
	for _, test := range tests {
		if k := ServerKind(test.model); k.Provider != test.provider || k.SchemaIsPrompt != test.schemaIsPrompt {
			t.Errorf("%+v: %+v", test.model, k)
		}
	}
}
