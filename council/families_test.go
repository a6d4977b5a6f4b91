package council

import (
	"slices"
	"testing"

	"github.com/council-engine/council/internal/check"
)

func TestModelFamily(t *testing.T) {
	for name, want := range map[string]string{
		"claude-sonnet-5-5": "claude", "anthropic/claude-opus-5": "claude", "gpt-5.4": "gpt", "openai/gpt-5.4-mini": "gpt",
		"o3": "gpt", "o4-mini": "gpt", "codex": "gpt", "chatgpt-latest": "gpt", "gemini-3-pro": "gemini",
		"gemma3:27b": "gemini",
		"llama3.2":   "llama", "meta-llama/Llama-4-Scout": "llama", "qwen3": "qwen", "Qwen/QwQ-32B": "qwen",
		"mixtral:8x7b":                  "mistral",
		"deepseek-r1-distill-llama-70b": "deepseek", "grok-5": "grok", "phi4": "phi", "command-r-plus": "cohere",
		"gpt-oss:20b": "gpt", "openai/gpt-oss-120b": "gpt", "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M": "llama",
		"codellama:7b":                    "llama",
		"Qwen/Qwen2.5-Coder-32B-Instruct": "qwen", "qwen2.5vl:7b": "qwen", "qvq-72b-preview": "qwen",
		"google/gemma-3-27b-it": "gemini", "medgemma:4b": "gemini",
		"mistral-nemo:12b": "mistral", "mistralai/Devstral-Small-2507": "mistral", "dolphin-mixtral:8x7b": "mistral",
		"pixtral-12b":                      "mistral",
		"deepseek/deepseek-chat-v3.1:free": "deepseek", "deepseek-r1:8b": "deepseek", "microsoft/Phi-4-mini-instruct": "phi",
		"phi3.5":             "phi",
		"moonshotai/kimi-k2": "kimi", "zai-org/GLM-4.6": "glm", "c4ai-aya-expanse-8b": "cohere", "command-r7b": "cohere",
		"amazon/nova-pro-v1": "nova",
		"supernova-medius":   "supernova", "granite3.3:8b": "granite", "x-ai/grok-4-fast": "grok",
		"nvidia/nemotron-nano-9b-v2": "nemotron",
		"acme-7b":                    "acme", "acme70": "acme", "example/acme-9": "acme", "pro10": "pro", "4711": "", "": "",
	} {
		check.Is(t, name, want, ModelFamily(name))
	}
}

func TestFamilies(t *testing.T) {
	seat := func(provider, model string) Member {
		return Member{Model: Model{Provider: provider, Model: model}}
	}
	tests := []struct {
		name     string
		members  []Member
		models   int
		families []string
		alike    bool
	}{
		{"one model", []Member{seat("openai", "gpt-5.4"), seat("openai", "gpt-5.4"), seat("openai", "gpt-5.4")}, 1,
			[]string{"gpt"}, true},
		{"one family by several doors", []Member{seat("openai", "gpt-5.4"), seat("command", "codex"),
			seat("openrouter", "openai/gpt-5")}, 3, []string{"gpt"}, true},
		{"three families", []Member{seat("anthropic", "claude-sonnet-5-5"), seat("gemini", "gemini-3-pro"),
			seat("ollama", "llama3.2")}, 3, []string{"claude", "gemini", "llama"}, false},
		{"a model among people", []Member{seat("human", ""), seat("openai", "gpt-5.4"), seat("human", "")}, 1,
			[]string{"gpt"}, false},
		{"a rehearsal", []Member{seat("rehearsal", ""), seat("rehearsal", ""), seat("rehearsal", "")}, 0, nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := (&Charter{Members: test.members}).Families(false)
			check.That(t, len(k.Models) == test.models && slices.Equal(k.Families, test.families) && k.Alike() == test.alike,
				"%+v, alike %t", k, k.Alike())
		})
	}
}

func TestFamilies_EveryFaultIsOfOneKind(t *testing.T) {
	seen := map[FaultKind]bool{}
	for _, kind := range FaultKinds() {
		check.That(t, !seen[kind], "%s stands there twice", kind)
		seen[kind] = true
	}
	unknown := FaultKind("plague")
	check.That(t, unknown.Curable(), "a kind of a later version is taken for one that is known")
}
