package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

// governed returns a small council with the given governance.
func governed(t *testing.T, governance string) []byte {
	t.Helper()
	return []byte(strings.Replace(string(load(t, "testdata/small.json")), `"goal"`,
		`"governance": `+governance+`, "goal"`, 1))
}

func TestGovernance_ThresholdsAndDenominatorsAsTheyAreWritten(t *testing.T) {
	for governance, want := range map[string]struct {
		share quorum.Share
		of    quorum.CountOf
	}{
		`{}`:                           {"0.5", quorum.Members},
		`{"majorityThreshold": "2/3"}`: {"2/3", quorum.Members},
		`{"majorityThreshold": 0.750, "countOf": "present"}`: {"0.75", quorum.Present},
		`{"majorityThreshold": 1, "countOf": "cast"}`:        {"1", quorum.Cast},
		`{"abstainCountsAsNo": true}`:                        {"0.5", quorum.Members},
		`{"abstainCountsAsNo": false}`:                       {"0.5", quorum.Cast},
		`{"abstainCountsAsNo": false, "countOf": "cast"}`:    {"0.5", quorum.Cast},
		`{"countOf": "members", "abstainCountsAsNo": true}`:  {"0.5", quorum.Members},
	} {
		c, err := Parse(governed(t, governance))
		if err != nil {
			t.Errorf("%s: %v", governance, err)
			continue
		}
		if g := c.Phases[0].Governance; g.MajorityThreshold != want.share || g.CountOf != want.of {
			t.Errorf("%s: got %+v", governance, g)
		}
	}
}

func TestGovernance_AGovernanceThatContradictsItselfIsRefused(t *testing.T) {
	for governance, want := range map[string]string{
		`{"abstainCountsAsNo": true, "countOf": "present"}`:  `abstainCountsAsNo true means countOf "members", but countOf is "present"`,
		`{"countOf": "members", "abstainCountsAsNo": false}`: `abstainCountsAsNo false means countOf "cast", but countOf is "members"`,
		`{"abstainCountsAsNo": "no"}`:                        "must be true or false, not a text",
		`{"countOf": "everybody"}`:                           `it must be members, present or cast, not "everybody"`,
		`{"countOf": 3}`:                                     "must be a text",
		`{"majorityThreshold": "0.5"}`:                       `a number, or a fraction as text such as "2/3", not a text`,
		`{"majorityThreshold": "3/2"}`:                       `more than 0 and at most 1, a number or a fraction such as "2/3", not "3/2"`,
		`{"majorityThreshold": "2/0"}`:                       "more than 0 and at most 1",
		`{"majorityThreshold": "2 / 3"}`:                     "more than 0 and at most 1",
		`{"majorityThreshold": "half"}`:                      `a number or a fraction such as "2/3", not "half"`,
		`{"majorityThreshold": null}`:                        "not null",
		`{"majorityThreshold": 1e-400}`:                      "more than 0",
		`{"majorityThreshold": true}`:                        "not true",
		`{"weighting": "confidence"}`:                        `there is no field "weighting" here`,
	} {
		judge(t, governance, governed(t, governance), want)
	}
}

// Every model that docs/members.md shows can be configured so, and every provider is shown.
func TestGovernance_TheModelsOfTheHandbookLoad(t *testing.T) {
	seen := map[string]bool{}
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(
		string(load(t, "../../docs/members.md")), -1) {
		var model struct{ Provider string }
		check.ErrorIs(t, block[1], nil, json.Unmarshal([]byte(block[1]), &model))
		if model.Provider == "" {
			continue // the output of a program
		}
		seen[model.Provider] = true
		judge(t, block[1], seatedBy(block[1]), "")
	}
	for _, provider := range []string{"anthropic", "openai", "gemini", "openrouter", "azure", "openai-compatible",
		"ollama", "vllm", "command", "human", "script", "rehearsal"} {
		if !seen[provider] {
			t.Errorf("there is no example of %s", provider)
		}
	}
}

const threeKeys = `{
  // Who decides.
  "councilName": "C", "purpose": "P", "sessionPolicy": { "entryPhaseId": "a" },
  "phases": [{ "id": "a", "goal": "g", "stopConditions": { "maxRounds": 1 } }],
  "members": [
    { "id": "a", "name": "A", "role": "r", "systemPrompt": "s",
      "model": { "provider": "openai", "model": "m", "apiKeyEnv": "MINE", /* ours */ "maxTokens": 9 } },
    { "id": "b", "name": "B", "role": "r", "systemPrompt": "s",
      "model": { "provider": "anthropic", "model": "m" } }, // the usual key
    { "id": "c", "name": "C", "role": "r", "systemPrompt": "s",
      "model": {
        "provider": "openai",
        "auth": { "method": "api-key-env", "apiKeyEnv": "MINE" }, // by a block
        "model": "m",
        "apiKeyEnv": "MINE",
      } },
  ],
}
`

func TestGovernance_KeysAreReferredToWithoutTouchingTheRest(t *testing.T) {
	changed := check.Get(SetCredentials([]byte(threeKeys), map[string]string{
		"/members/0/model": "mine", "/members/1/model": `their "own"`, "/members/2/model": "mine",
	}))(t)
	ref := `{ "method": "credential-ref", "credentialId": "mine" }`
	want := strings.NewReplacer(
		`"apiKeyEnv": "MINE", /* ours */`, `"auth": `+ref+`, /* ours */`,
		`"anthropic", "model"`,
		`"anthropic", "auth": { "method": "credential-ref", "credentialId": "their \"own\"" }, "model"`,
		`{ "method": "api-key-env", "apiKeyEnv": "MINE" }`, ref,
		"\"model\": \"m\",\n        \"apiKeyEnv\": \"MINE\",\n      }", "\"model\": \"m\"\n      }",
	).Replace(threeKeys)
	check.Equal(t, "it", want, string(changed))
	c, err := Parse(changed)
	if err != nil || c.Members[0].Model.Auth.CredentialID != "mine" || c.Members[2].Model.APIKeyEnv != "" {
		t.Errorf("%+v, %v", c.Members, err)
	}
}

func TestGovernance_OnlyModelsAreReferred(t *testing.T) {
	for _, pointer := range []string{"/members/9/model", "/members/0/name", "nowhere"} {
		if changed, err := SetCredentials([]byte(threeKeys), map[string]string{pointer: "x"}); err == nil {
			t.Errorf("%s: %s", pointer, changed)
		}
	}
	if _, err := SetCredentials([]byte("{"), nil); err == nil {
		t.Error("half a file was changed")
	}
}

// seatedBy returns a configuration whose first member has the model.
func seatedBy(model string) []byte {
	member := func(id, model string) string {
		return fmt.Sprintf(`{"id": %[1]q, "name": %[1]q, "role": "r", "systemPrompt": "s", "model": %[2]s}`, id, model)
	}
	return fmt.Appendf(nil, `{"councilName": "C", "purpose": "P", "sessionPolicy": {"entryPhaseId": "a"},
		"phases": [{"id": "a", "goal": "g", "stopConditions": {"maxRounds": 1}}], "members": [%s, %s, %s]}`,
		member("a", model), member("b", `{"provider": "rehearsal"}`), member("c", `{"provider": "rehearsal"}`))
}

func TestGovernance_AFallbackThatIsOnlyNamedIsAnotherModelAtTheSameProvider(t *testing.T) {
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

func TestGovernance_WhatIsWrongWithANamedFallbackIsSaidOnce(t *testing.T) {
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
		if all := check.As[Problems](t, err); len(all) != 1 || !strings.HasSuffix(all[0].Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGovernance_ANamedFallbackTakesTheKeyOfItsModel(t *testing.T) {
	doc := seatedBy(`{"provider": "openai", "model": "m", "apiKeyEnv": "MINE", "fallbacks": ["n"]}`)
	changed := check.Get(SetCredentials(doc, map[string]string{"/members/0/model": "mine",
		"/members/0/model/fallbacks/0": "mine"}))(t)
	c := check.Get(Parse(changed))(t)
	if f := c.Members[0].Model.Fallbacks[0]; f.APIKeyEnv != "" || f.Auth == nil || f.Auth.CredentialID != "mine" {
		t.Errorf("%+v of %s", f, changed)
	}
}
