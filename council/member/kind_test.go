package member

import (
	"testing"

	"github.com/council-engine/council/council"
)

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
