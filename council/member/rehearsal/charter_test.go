package rehearsal_test

import (
	"fmt"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/internal/check"
)

// TestAnyCharterIsPlayedToItsEnd bends the general council in every direction that a charter allows.
func TestAnyCharterIsPlayedToItsEnd(t *testing.T) {
	for name, bend := range map[string]func(c *council.Charter){
		"nothing can carry": func(c *council.Charter) {
			for i := range c.Phases {
				c.Phases[i].Governance.MajorityThreshold = "1"
			}
		},
		"one round": func(c *council.Charter) {
			for i := range c.Phases {
				c.Phases[i].StopConditions.MaxRounds = 1
			}
		},
		"twelve rounds that no vote ends": func(c *council.Charter) {
			for i := range c.Phases {
				c.Phases[i].StopConditions = council.StopConditions{MaxRounds: 12}
			}
		},
		"no seconds, no positions, no document": func(c *council.Charter) {
			for i := range c.Phases {
				c.Phases[i].Governance.RequireSeconding = false
			}
			c.Deliberation.SealedPositions, c.Output.Type = false, council.OutputNone
		},
		"nothing to deliver": func(c *council.Charter) {
			for i := range c.Phases {
				c.Phases[i].Deliverables, c.Phases[i].QualityGates = nil, nil
			}
		},
		"no sections and no revisions": func(c *council.Charter) {
			c.DocumentationReview = council.DocumentationReview{}
		},
		"sections that nobody knows": func(c *council.Charter) {
			c.DocumentationReview.Sections = []string{"Zusammenfassung", "Risiken", "# Nr. 3", "*four*"}
		},
		"members without focus or traits": func(c *council.Charter) {
			for i := range c.Members {
				c.Members[i].FocusWeights, c.Members[i].Traits = nil, nil
				c.Members[i].Role, c.Members[i].SystemPrompt = "member", "Speak."
			}
		},
		"members who all care for the same, which nobody knows": func(c *council.Charter) {
			for i := range c.Members {
				c.Members[i].FocusWeights = map[string]float64{"astrology": 1}
			}
		},
		"names that would forge structure": func(c *council.Charter) {
			for i := range c.Members {
				c.Members[i].Name = fmt.Sprintf("# %d\n## “E\x1b[2J” [e99] | **x**", i)
				c.Members[i].Role = "```\n<script>"
			}
		},
		"three members": func(c *council.Charter) { c.Members = c.Members[:3] },
		"nine members": func(c *council.Charter) {
			for i := range 4 {
				m := c.Members[i]
				m.ID, m.Name = council.MemberID(fmt.Sprintf("twin%d", i)), fmt.Sprintf("Twin %d", i)
				c.Members = append(c.Members, m)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := ready(t, "general")
			bend(&c)
			check.OK(t, charter.Check(&c))
			s := hold(t, model, c, topicOf(t, "Shall we move the job queue to NATS?", []string{"queue.md"}))
			for seq, text := range s.spoken() {
				if text == "" && s.session.Events()[seq-1].Type() != council.TypeOf[council.DissentWritten]() {
					t.Errorf("%s is empty", seq.ID())
				}
			}
		})
	}
}
