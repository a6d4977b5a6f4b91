package prompt_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// No prompt of a session names a model, its provider or where it is reached: neither those of the charter nor what a
// server reports, whatever becomes of the replies.
func TestNoPromptNamesAModelOrItsMaker(t *testing.T) {
	c := charter(3, 2)
	for i := range c.Members {
		c.Members[i].Model = council.Model{Provider: "vendorprovider", Model: "vendorfamily-7-turbo",
			BaseURL:   "https://vendorhost.example/v1",
			APIKeyEnv: "VENDOR_KEY", Fallbacks: []council.Model{{Provider: "vendorelse", Model: "vendorother-1"}}}
	}
	answer := steady(80)
	for _, limits := range []prompt.Limits{{}, {MaxBytes: 6000, KeepBytes: 2000}} {
		prompts := 0
		converse(t, convene(t, council.Topic{Text: "How?"}, c), limits, func(v council.View, p *prompt.Prompt) council.Reply {
			prompts++
			for _, piece := range flat(p.Repair("vendor?", "It is not JSON.")) {
				if at := strings.Index(strings.ToLower(strings.ReplaceAll(piece, "vendor?", "")), "vendor"); at >= 0 {
					t.Errorf("%s: %.80q", v.Ask.ID, piece[at:])
				}
			}
			r := answer(v)
			r.Usage = council.Usage{Model: "vendorreported-9", Provider: "vendorelse", OutputTokens: 7}
			if v.Ask.ID == "p1.r1.t2.turn.bob" {
				r.Body, r.Fault = nil, &council.Fault{Kind: council.FaultRefusal, Message: "vendorfamily-7-turbo declined"}
			}
			return r
		})
		if prompts < 40 {
			t.Errorf("only %d prompts", prompts)
		}
	}
}
