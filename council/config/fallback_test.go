package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

// seatedBy returns a configuration whose first member has the model.
func seatedBy(model string) []byte {
	member := func(id, model string) string {
		return fmt.Sprintf(`{"id": %[1]q, "name": %[1]q, "role": "r", "systemPrompt": "s", "model": %[2]s}`, id, model)
	}
	return fmt.Appendf(nil, `{"councilName": "C", "purpose": "P", "sessionPolicy": {"entryPhaseId": "a"},
		"phases": [{"id": "a", "goal": "g", "stopConditions": {"maxRounds": 1}}], "members": [%s, %s, %s]}`,
		member("a", model), member("b", `{"provider": "rehearsal"}`), member("c", `{"provider": "rehearsal"}`))
}

func TestAFallbackThatIsOnlyNamedIsAnotherModelAtTheSameProvider(t *testing.T) {
	doc := seatedBy(`{"fallbacks": ["gpt-5.4-mini", {"provider": "ollama", "model": "llama3.2"}],
		"provider": "openai", "model": "gpt-5.4", "api": "responses", "baseUrl": "https://gate.example/v1",
		"temperature": 0.5, "maxTokens": 4000,
		"auth": {"method": "credential-ref", "credentialId": "work"}, "headers": {"X-Team": "platform"},
		"callsPerMinute": 60}`)
	check.OK(t, schemas.Validate("config", doc))
	c := check.Get(Parse(doc))(t)
	m := c.Members[0].Model
	want := m
	want.Model, want.Fallbacks = "gpt-5.4-mini", nil
	check.Equal(t, "it", []council.Model{want, {Provider: "ollama", Model: "llama3.2"}}, m.Fallbacks)
}

func TestWhatIsWrongWithANamedFallbackIsSaidOnce(t *testing.T) {
	const at = "/members/0/model/fallbacks/0"
	for name, test := range map[string]struct{ model, want string }{
		"empty": {`{"provider": "openai", "model": "m", "fallbacks": [" "]}`,
			at + ": it must not be empty"},
		"itself": {`{"provider": "openai", "model": "m", "fallbacks": ["m"]}`,
			at + ": it is the model that it would stand in for"},
		"a number": {`{"provider": "openai", "model": "m", "fallbacks": [5]}`,
			at + ": it must be an object or the name of a model, not the number 5"},
		"twice": {
			`{"provider": "openai", "model": "m", "fallbacks": [{"provider": "openai", "model": "n"}, "n"]}`,
			"/members/0/model/fallbacks/1: it is named already"},
		"of a rehearsal": {`{"provider": "rehearsal", "fallbacks": ["m"]}`,
			at + ": rehearsal cannot stand in for a model"},
		"of a program": {
			`{"provider": "command", "model": "clerk", "command": ["clerk"], "fallbacks": ["m"]}`,
			at + ": a name alone is not enough beside command or program: write the fallback as an object"},
		"of a bad model": {`{"provider": "openai", "model": "m", "temperature": 9, "fallbacks": ["n"]}`,
			"/members/0/model/temperature: it must be between 0 and 2, not 9"},
		"of idle settings": {
			`{"provider": "openai", "model": "m", "apiKeyEnv": "MINE", "auth": {"method": "credential-ref", "credentialId": "x"}, "fallbacks": ["n"]}`, "/members/0/model/apiKeyEnv: it has no effect with auth with the method credential-ref: leave one of them out"},
		"of a rate that waits for years": {
			`{"provider": "openai", "model": "m", "callsPerMinute": 0.0001, "fallbacks": ["n"]}`,
			"/members/0/model/callsPerMinute: it must be 0, for no limit, or at least 0.016, about a call an hour"},
		"too many": {`{"provider": "openai", "model": "m", "fallbacks": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]}`,
			"/members/0/model/fallbacks: at most 9 models can stand in for one, not 10"},
	} {
		_, err := Parse(seatedBy(test.model))
		var all Problems
		if !errors.As(err, &all) || len(all) != 1 || !strings.HasSuffix(all[0].Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestANamedFallbackTakesTheKeyOfItsModel(t *testing.T) {
	doc := seatedBy(`{"provider": "openai", "model": "m", "apiKeyEnv": "MINE", "fallbacks": ["n"]}`)
	changed := check.Get(SetCredentials(doc, map[string]string{"/members/0/model": "mine",
		"/members/0/model/fallbacks/0": "mine"}))(t)
	c := check.Get(Parse(changed))(t)
	if f := c.Members[0].Model.Fallbacks[0]; f.APIKeyEnv != "" || f.Auth == nil || f.Auth.CredentialID != "mine" {
		t.Errorf("%+v of %s", f, changed)
	}
}
