package preset

import (
	"net/url"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

func TestEveryPresetIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Providers() {
		p, ok := Named(name)
		if !ok || seen[name] {
			t.Errorf("%s stands there twice or not at all", name)
		}
		seen[name] = true
		u, err := url.Parse(p.Address)
		local := u != nil && u.Hostname() == "127.0.0.1"
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case p.Address != "" && !local && u.Scheme != "https":
			t.Errorf("%s would send a key in the clear", name)
		case local && (p.Key != "" || p.SchemaIsPrompt):
			t.Errorf("%s is on this machine: it needs no key, and holds replies to a grammar", name)
		case p.Key != "" && !strings.HasSuffix(p.Key, "_API_KEY"):
			t.Errorf("%s takes its key from %s", name, p.Key)
		case strings.HasSuffix(p.Address, "/"):
			t.Errorf("%s: the address ends in a slash", name)
		}
	}
	if _, ok := Named("skynet"); ok {
		t.Error("a provider that nobody knows is known")
	}
}

func TestWhatIsKnownDependsOnWhereTheServerIs(t *testing.T) {
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
	}
	for _, test := range tests {
		if p, ok := Of(test.model); !ok || p.Provider != test.provider || p.SchemaIsPrompt != test.schemaIsPrompt {
			t.Errorf("%+v: %+v", test.model, p)
		}
	}
}
