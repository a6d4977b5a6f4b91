package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// misconfigure writes the configuration of a workplace anew.
func (d *workplace) misconfigure(url string, change func(*council.Charter)) {
	d.Helper()
	c := shortCharter(url)
	change(&c)
	doc := check.Get(json.Marshal(c))(d)
	check.OK(d, os.WriteFile(d.config, doc, 0o600))
}

func TestConvene_OnAMisconfiguredCouncilPaysForNothing(t *testing.T) {
	every := func(change func(*council.Model)) func(*council.Charter) {
		return func(c *council.Charter) {
			for i := range c.Members {
				change(&c.Members[i].Model)
			}
		}
	}
	for _, test := range []struct {
		name   string
		change func(*council.Charter)
		says   string
	}{
		{"two keys in one variable", every(func(m *council.Model) { m.APIKeyEnv = "DOCTOR_BROKEN" }),
			"members m1, m2 and m3: The environment variable DOCTOR_BROKEN has a blank or a line end within it."},
		{"a budget below the first prompts", func(c *council.Charter) { c.Budget.Tokens = 50 }, "the budget is 50"},
		{"a quorum of more than there are", func(c *council.Charter) { c.Phases[0].Governance.Quorum = 4 },
			"at most the number of members"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStreet(t)
			d := newWorkplace(t, s.url)
			d.env = map[string]string{"DOCTOR_BROKEN": "key-1\nkey-2"}
			d.misconfigure(s.url, test.change)
			d.run(cli.ExitError, "convene", "Shall we?", "--config", d.config)
			d.says(&d.errs, test.says)
			check.Is(t, "calls were made", 0, s.server.Calls.Load())
			if _, err := os.Stat(d.root); err == nil {
				t.Error("a record was made")
			}
		})
	}
}
