package member

import (
	"errors"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// The counts are those of ollama/ollama issues 10368 (the window) and 17427 (half of it and two).
func TestAReplyToAPartOfItsPromptIsAFault(t *testing.T) {
	for _, test := range []struct {
		name          string
		window        int
		bytes, tokens int64
		cut           bool
	}{
		{"all of the window", 4096, 20_000, 4096, true},
		{"half of it", 4096, 20_000, 2050, true},
		{"just so many as half of it", 4096, 9_000, 2050, false},
		{"fewer", 4096, 16_000, 4095, false},
		{"more: the setting is too low", 4096, 20_000, 4400, false},
		{"not known", 0, 20_000, 4096, false},
		{"not counted", 4096, 20_000, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{steps: []step{{text: "I vote YES", usage: council.Usage{InputTokens: test.tokens - 10}}}}
			p := &prompt.Prompt{Messages: []prompt.Message{{Role: prompt.User, Content: strings.Repeat("x", int(test.bytes))}}}
			c, err := DetectTruncatedPrompt(f, test.window).Complete(t.Context(), p)
			var call *CallError
			if test.cut != errors.As(err, &call) {
				t.Fatalf("%+v, %v", c, err)
			}
			if test.cut && (call.Fault.Kind != council.FaultContextTooLong || call.Retryable ||
				call.Usage.PromptTokens() != test.tokens || c.Text != "") {
				t.Errorf("%+v", call)
			}
		})
	}
}
