// Package preset knows the providers that go by a name: where each is found, which key it takes and what is known of its
// dialect. What is not known is found out from what a server complains of (package endpoint).
package preset

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

// Preset is what is known of a provider.
type Preset struct {
	Provider string
	Protocol Protocol
	Address  string // its own; "" for one that has none, and needs a baseUrl
	Key      string // the variable with the key for its own address; "" where it takes none
	Path     string // of the protocol, where a baseUrl names a host alone

	// BoundsCompletion: a reply is bounded by max_completion_tokens; elsewhere by max_tokens, its older name.
	BoundsCompletion bool
	// SchemaIsPrompt: the schema of a reply becomes a part of the prompt, before all else. With each other schema a
	// provider's cache serves nothing. Servers that hold a reply to a grammar while they write it do without.
	SchemaIsPrompt bool
}

// Protocol is the family of a provider's calls.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai"
	Anthropic Protocol = "anthropic"
)

// presets are looked up in docs/members.md, where the sources and dates stand.
var presets = []Preset{
	{"anthropic", Anthropic, "https://api.anthropic.com", "ANTHROPIC_API_KEY", "", false, true},
	{"openai", OpenAI, "https://api.openai.com/v1", "OPENAI_API_KEY", "", true, true},
	{"gemini", OpenAI, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "", false, true},
	{"openrouter", OpenAI, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "", false, true},
	{"azure", OpenAI, "", "", "openai/v1", true, true},
	{"ollama", OpenAI, "http://127.0.0.1:11434/v1", "", "", false, false},
	{"lmstudio", OpenAI, "http://127.0.0.1:1234/v1", "", "", false, false},
	{"vllm", OpenAI, "http://127.0.0.1:8000/v1", "", "", false, false},
	{"llamacpp", OpenAI, "http://127.0.0.1:8080/v1", "", "", false, false},
	{unknown, OpenAI, "", "", "", false, false},
}

// Providers lists the names of all, in the order in which people are told of them.
func Providers() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.Provider
	}
	return names
}

// Named returns the preset of a provider.
func Named(provider string) (Preset, bool) {
	i := slices.IndexFunc(presets, func(p Preset) bool { return p.Provider == provider })
	if i < 0 {
		return Preset{}, false
	}
	return presets[i], true
}

// unknown is a server of which only the protocol is known.
const unknown = "openai-compatible"

// Of returns what is known of a model's server. The provider openai at an address that is not its own may be any server
// that speaks its protocol. Of an unknown one it is assumed that a cache of prompts is paid for, unless it is on this machine.
func Of(m council.Model) (Preset, bool) {
	name := m.Provider
	if name == "openai" && m.BaseURL != "" {
		name = unknown
	}
	p, ok := Named(name)
	if name == unknown {
		p.SchemaIsPrompt = !member.Loopback(m.BaseURL)
	}
	return p, ok
}
