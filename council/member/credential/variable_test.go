package credential

import (
	"errors"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

func TestKey(t *testing.T) {
	env := map[string]string{"MINE": " k1 \n", "OPENAI_API_KEY": "k2", "ANTHROPIC_API_KEY": "k3", "EMPTY": " "}
	tests := []struct {
		name  string
		model council.Model
		key   string
		words string // of the error, "" means none
	}{
		{"named", council.Model{Provider: "openai", APIKeyEnv: "MINE"}, "k1", ""},
		{"named by auth", council.Model{Provider: "openai", APIKeyEnv: "OTHER",
			Auth: &council.Auth{Method: "api-key-env", APIKeyEnv: "MINE"}}, "k1", ""},
		{"auth without a name of its own",
			council.Model{Provider: "openai", APIKeyEnv: "MINE", Auth: &council.Auth{Method: "api-key-env"}}, "k1", ""},
		{"auth without any name", council.Model{Provider: "openai", Auth: &council.Auth{Method: "api-key-env"}}, "",
			"names no variable"},
		{"the standard name of openai", council.Model{Provider: "openai"}, "k2", ""},
		{"the standard name of anthropic", council.Model{Provider: "anthropic"}, "k3", ""},
		{"a standard key stays at home", council.Model{Provider: "openai", BaseURL: "https://elsewhere.example/v1"}, "", ""},
		{"ollama", council.Model{Provider: "ollama"}, "", ""},
		{"not set", council.Model{Provider: "openai", APIKeyEnv: "MISSING"}, "", "environment variable MISSING is not set"},
		{"blank", council.Model{Provider: "openai", APIKeyEnv: "EMPTY"}, "", "environment variable EMPTY is not set"},
		{"not set, elsewhere", council.Model{Provider: "openai", APIKeyEnv: "MISSING", BaseURL: "https://elsewhere.example"},
			"", "MISSING"},
		{"not set, on loopback", council.Model{Provider: "openai", APIKeyEnv: "MISSING", BaseURL: "http://localhost:8000"},
			"", ""},
		{"set, on loopback", council.Model{Provider: "openai", APIKeyEnv: "MINE", BaseURL: "http://[::1]:8000/v1"}, "k1", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key, err := Key(test.model, func(name string) string { return env[name] })
			check.Is(t, "key", test.key, key)
			if test.words == "" && err != nil ||
				test.words != "" && (!errors.Is(err, member.ErrNoKey) || !strings.Contains(err.Error(), test.words)) {
				t.Errorf("%v", err)
			}
		})
	}
}
