package charter_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/templates"
)

// Every ready-made council can be convened at every pace, and a pace changes nothing when it is set again.
func TestPace_APaceChangesACharterThatCanStillBeConvened(t *testing.T) {
	for _, name := range templates.Councils() {
		doc, _ := templates.Council(name)
		for _, pace := range []council.Pace{council.PaceAuto, council.PaceQuick, council.PaceStandard, council.PaceThorough} {
			c := check.Get(config.Parse(doc))(t)
			decides := c.Phases[len(c.Phases)-1].ID
			c.Deliberation.Pace = pace
			charter.SetPace(&c)
			check.ErrorIs(t, name+", "+string(pace), nil, charter.Check(&c))
			short := pace == council.PaceQuick || pace == council.PaceAuto
			if p := c.Phase(decides); p == nil || (p.Turns == council.TurnsTogether) != short {
				t.Errorf("%s, %s: %+v", name, pace, c.Phases)
			}
			if got := len(c.Phases); (got == 1) != short {
				t.Errorf("%s, %s: %d phases", name, pace, got)
			}
			once := c.Phases
			charter.SetPace(&c)
			check.Equal(t, name+", "+string(pace)+", set again", once, c.Phases)
		}
	}
}
