package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
)

// wantSections sets the sections that the document of a workplace must have.
func (d *workplace) wantSections(sections ...string) {
	d.Helper()
	text, err := os.ReadFile(d.config)
	var config map[string]any
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	review, _ := config["documentationReview"].(map[string]any)
	if review == nil {
		review = map[string]any{}
	}
	review["sections"] = sections
	config["documentationReview"] = review
	if err == nil {
		text, err = json.Marshal(config)
	}
	if err == nil {
		err = os.WriteFile(d.config, text, 0o600)
	}
	if err != nil {
		d.Fatal(err)
	}
}

// A draft without a section is asked for once more, taken, voted on, and the section is unmet.
func TestUntidy_ADraftThatLacksASectionIsTakenAfterOneRequest(t *testing.T) {
	u := newUntidy(t, func(contract, text string, _ int) string {
		if contract == "" {
			return chunk(text, "stop") + done
		}
		return ""
	})
	d := newSteadyWorkplace(t, u.URL)
	d.wantSections("Costs", "Rollback")
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	if u.calls[""] != 2 {
		t.Errorf("%d calls for the document, want 2", u.calls[""])
	}
	d.says(&d.out, "The document was approved")
	d.says(&d.out, "The draft leaves 1 critical blocker unanswered.")
	if unmet := d.wrote("session.json"); !strings.Contains(unmet, "sections that were asked for: Rollback.") {
		t.Errorf("session.json does not name the section:\n%s", unmet)
	}
	if refused := d.wrote("documentation.draft.v1.refused-*.md"); !strings.Contains(refused, "## Rollback") {
		t.Errorf("the refused draft does not say why:\n%s", refused)
	}
	d.run(cli.ExitOK, "verify")
	d.run(cli.ExitOK, "record", "replay")
}
