package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/schemas"
)

func TestWhatHasNoEffectOnALoginIsRefused(t *testing.T) {
	const login = `"clientId": "c", "deviceAuthorizationEndpoint": "https://a.example/d", "tokenEndpoint": "https://a.example/t"`
	for _, test := range []struct{ model, place string }{
		{`"apiKeyEnv": "K", "auth": {"method": "credential-ref", "credentialId": "c"}`, "/members/0/model/apiKeyEnv"},
		{`"auth": {"method": "credential-ref", "credentialId": "c", "apiKeyEnv": "K"}`, "/members/0/model/auth/apiKeyEnv"},
		{`"auth": {"method": "credential-ref", "credentialId": "c", "cacheKey": "k"}`, "/members/0/model/auth/cacheKey"},
		{`"auth": {"method": "api-key-env", "apiKeyEnv": "K", "credentialId": "c"}`, "/members/0/model/auth/credentialId"},
		{`"auth": {"method": "api-key-env", "apiKeyEnv": "K", "env": ["A"]}`, "/members/0/model/auth/env"},
		{`"auth": {"method": "api-key-env", "apiKeyEnv": "K", "cacheTtlSeconds": 1}`,
			"/members/0/model/auth/cacheTtlSeconds"},
		{`"auth": {"method": "command", "command": ["c", "d"], "tokenStorePath": "p"}`, ""},
		{`"auth": {"method": "command", "command": 5}`, "/members/0/model/auth/command"},
		{`"auth": {"method": "command", "command": []}`, "/members/0/model/auth/command"},
		{`"auth": {"method": "command", "command": ["c", 5]}`, "/members/0/model/auth/command/1"},
		{`"auth": {"method": "command", "command": ["c", "sk-123"]}`, "/members/0/model/auth/command/1"},
		{`"auth": {"method": "command", "command": "c", "scopes": ["s"], "audience": "a"}`, "/members/0/model/auth/audience"},
		{`"auth": {"method": "oauth-device-code", "command": "c", ` + login + `}`, "/members/0/model/auth/command"},
		{`"auth": {"method": "command", "command": "c", ` + login + `}`, "/members/0/model/auth/clientId"},
		{`"apiKeyEnv": "K", "auth": {"method": "api-key-env", "apiKeyEnv": "L"}`, ""},
		{`"auth": {"method": "command", "command": "c", "env": ["A"], "cacheKey": "k", "cacheTtlSeconds": 1}`, ""},
		{`"auth": {"method": "oauth-device-code", "credentialId": "i", "cacheKey": "k", "tokenStorePath": "p", "scopes": ["s"], "audience": "a", ` + login + `}`, ""},
	} {
		doc := strings.Replace(threeKeys, `"apiKeyEnv": "MINE", /* ours */`, test.model+",", 1)
		_, err := Parse([]byte(doc))
		if test.place == "" && err != nil ||
			test.place != "" && (err == nil || !strings.Contains(err.Error(), test.place+": ")) {
			t.Errorf("%s: %v", test.model, err)
		}
	}
}

func TestSettingsOfAModelThatNobodyAsksAreRefused(t *testing.T) {
	settings := map[string]string{
		"api": `"responses"`, "apiKeyEnv": `"K"`, "auth": `{"method": "command", "command": "pass"}`, "baseUrl": `"http://x"`,
		"headers":   `{"A": "b"}`,
		"maxTokens": `0`, "contextWindow": `0`, "maxReplyBytes": `8192`, "temperature": `1`, "parallel": `0`,
		"timeout": `"9m"`, "firstByteTimeout": `"9m"`, "callsPerMinute": `3`,
		"fallbacks": `[{"provider": "ollama", "model": "m"}]`,
	}
	for name, value := range settings {
		for _, provider := range []string{"human", "rehearsal", "default", "script"} {
			_, err := Parse(seatedBy(fmt.Sprintf(`{"provider": %q, "model": "m", %q: %s}`, provider, name, value)))
			want := "/members/0/model/" + name + ": the provider " + provider + " does not use it"
			if taken := provider == "script" &&
				(name == "callsPerMinute" || name == "fallbacks" || name == "maxReplyBytes"); taken {
				if err != nil {
					t.Errorf("%s, %s: %v", provider, name, err)
				}
			} else if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s, %s: %v", provider, name, err)
			}
		}
	}
}

func TestTimeLimitsAndParallelCallsAreForServers(t *testing.T) {
	const at = "/members/0/model/"
	for model, want := range map[string]string{
		`{"provider": "ollama", "model": "m", "parallel": 4, "timeout": "20m", "firstByteTimeout": "90s"}`: "",
		`{"provider": "command", "model": "claude", "timeout": "20m"}`:                                     "",
		`{"provider": "command", "model": "claude", "parallel": 2}`: at +
			"parallel: the provider command does not use it",
		`{"provider": "command", "model": "codex/m", "baseUrl": "http://127.0.0.1:11434/v1", "parallel": 2}`: "",
		`{"provider": "command", "model": "claude", "firstByteTimeout": "1m"}`: at +
			"firstByteTimeout: the provider command does not use it",
		`{"provider": "command", "model": "claude", "maxTokens": 9}`: at +
			"maxTokens: the provider command does not use it",
		`{"provider": "openai", "model": "m", "fallbacks": [{"provider": "command", "model": "claude", "parallel": 2}]}`: at +
			"fallbacks/0/parallel: the provider command does not use it",
		`{"provider": "ollama", "model": "m", "parallel": -1}`:    at + "parallel: it must lie between 0",
		`{"provider": "ollama", "model": "m", "parallel": 10001}`: at + "parallel: it must lie between 0",
		`{"provider": "ollama", "model": "m", "timeout": "0s"}`: at +
			`timeout: it must be a number of seconds, minutes or hours, such as 90s, 10m or 2h, not "0s"`,
		`{"provider": "ollama", "model": "m", "firstByteTimeout": "5"}`: at +
			"firstByteTimeout: it must be a number of seconds",
		`{"provider": "ollama", "model": "m", "firstByteTimeout": "-5m"}`: at +
			"firstByteTimeout: it must be a number of seconds",
	} {
		doc := seatedBy(model)
		_, err := Parse(doc)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", model, err)
		}
		if want == "" {
			if err := schemas.Validate("config", doc); err != nil {
				t.Errorf("%s: %v", model, err)
			}
		}
	}
}

func TestAPriceThatIsLeftOutIsRefused(t *testing.T) {
	doc := strings.Replace(string(seatedBy(`{"provider": "ollama", "model": "m"}`)), `"purpose"`,
		`"prices": [{"provider": "ollama", "model": "m", "asOf": "2026-11-21", "output": 1}], "purpose"`, 1)
	if _, err := Parse([]byte(doc)); err == nil ||
		!strings.HasSuffix(err.Error(), "/prices/0/input: it is missing; write 0 if they cost nothing") {
		t.Error(err)
	}
}
