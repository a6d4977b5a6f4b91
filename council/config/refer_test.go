package config

import (
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

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

func TestKeysAreReferredToWithoutTouchingTheRest(t *testing.T) {
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

func TestOnlyModelsAreReferred(t *testing.T) {
	for _, pointer := range []string{"/members/9/model", "/members/0/name", "nowhere"} {
		if changed, err := SetCredentials([]byte(threeKeys), map[string]string{pointer: "x"}); err == nil {
			t.Errorf("%s: %s", pointer, changed)
		}
	}
	if _, err := SetCredentials([]byte("{"), nil); err == nil {
		t.Error("half a file was changed")
	}
}
