package config

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/council-engine/council/schemas"
)

// Every model that docs/members.md shows can be configured so, and every provider is shown.
func TestTheModelsOfTheHandbookLoad(t *testing.T) {
	seen := map[string]bool{}
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(
		string(load(t, "../../docs/members.md")), -1) {
		var model struct{ Provider string }
		if err := json.Unmarshal([]byte(block[1]), &model); err != nil {
			t.Errorf("%v: %s", err, block[1])
		}
		if model.Provider == "" {
			continue // the output of a program
		}
		seen[model.Provider] = true
		doc := seatedBy(block[1])
		if _, err := Parse(doc); err != nil {
			t.Errorf("%s: %v", block[1], err)
		}
		if err := schemas.Validate("config", doc); err != nil {
			t.Errorf("%s: %v", block[1], err)
		}
	}
	for _, provider := range []string{"anthropic", "openai", "gemini", "openrouter", "azure", "openai-compatible",
		"ollama", "vllm", "command", "human", "script", "rehearsal"} {
		if !seen[provider] {
			t.Errorf("there is no example of %s", provider)
		}
	}
}
