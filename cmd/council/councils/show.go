package councils

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

func (d Desk) newShow(places func() Places) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a council: members, phases, rules and the sections of its document",
		Args:  desk.One("the name of a council; council councils list has them"),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := places().Find(args[0])
			if err != nil {
				return err
			}
			c, err := config.Parse(found.Doc)
			if err != nil {
				return fmt.Errorf("%s: %w", found.Of(), err)
			}
			if raw {
				_, err := d.Out.Write(hostile.JSON(found.Doc))
				return err
			}
			d.show(found, &c)
			return nil
		},
	}
	cmd.Flags().BoolVar(&raw, "json", false, "print the configuration itself")
	return cmd
}

func (d Desk) show(found Council, c *council.Charter) {
	d.say("%s (%s)", c.CouncilName, found.From())
	d.say("%s", c.Purpose)
	d.say("\nMembers")
	for _, id := range c.Seats() {
		m := c.Member(id)
		d.say("  %s, %s: %s", m.ID, m.Name, m.Role)
		if weighs := weights(m.FocusWeights); weighs != "" {
			d.say("      weighs %s", weighs)
		}
		d.say("      %s", m.SystemPrompt)
	}
	d.say("\nPhases")
	for i := range c.Phases {
		p := &c.Phases[i]
		d.say("  %s: %s", string(p.ID), p.Goal)
		d.say("      %s; %s", rounds(p.StopConditions.MaxRounds), carries(p.Governance, len(c.Members)))
		for _, deliverable := range p.Deliverables {
			d.say("      brings %s: %s", deliverable.ID, deliverable.Description)
		}
		for _, gate := range p.QualityGates {
			d.say("      holds: %s", gate)
		}
		d.say("      without a resolution: %s", p.Fallback.Resolution)
	}
	if what := document(c); what != "" {
		d.say("\nDocument: %s", what)
		for _, section := range c.DocumentationReview.Sections {
			says := ""
			if i := slices.IndexFunc(c.DocumentationReview.Guidance, func(g council.Guide) bool { return g.Section == section }); i >= 0 {
				says = ": " + c.DocumentationReview.Guidance[i].Says
			}
			d.say("  %s%s", section, says)
		}
	}
	d.say("\nTo convene it: council convene --council %s \"your topic\"", found.Name)
}

// weights lists what a member cares about, the most first.
func weights(of map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), strings.Compare(a, b)) })
	for i, name := range names {
		names[i] += " " + strconv.FormatFloat(of[name], 'g', -1, 64)
	}
	return strings.Join(names, ", ")
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return "at most " + plural.Things(n, "round")
}

// carries says what a motion needs.
func carries(g council.Governance, members int) string {
	rule := g.Rule(members)
	words := fmt.Sprintf("a motion needs %s, with %d valid ballots", rule.Words(), rule.Required())
	if g.RequireSeconding {
		words += " and a second"
	}
	return words
}
