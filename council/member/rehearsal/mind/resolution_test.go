package mind

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

func TestTheResolutionIsThatOfTheLastPhaseThatVoted(t *testing.T) {
	note := func(visit int, r quorum.Result) *MotionNote {
		return &MotionNote{Visit: visit, Decided: &council.Decision{Result: r}}
	}
	for name, c := range map[string]struct {
		motions []*MotionNote
		want    int // index of the resolution; -1: none
	}{
		"nothing was moved":            {nil, -1},
		"carried, then nothing":        {[]*MotionNote{note(1, quorum.Carried), {Visit: 2, Died: true}}, 0},
		"carried, then lost":           {[]*MotionNote{note(1, quorum.Carried), note(2, quorum.Lost)}, -1},
		"carried, then too few":        {[]*MotionNote{note(1, quorum.Carried), note(2, quorum.NoQuorum)}, 0},
		"both in one phase":            {[]*MotionNote{note(1, quorum.Carried), note(1, quorum.Lost)}, 0},
		"lost, then carried elsewhere": {[]*MotionNote{note(1, quorum.Lost), note(2, quorum.Carried)}, 1},
	} {
		got := (&Minutes{Motions: c.motions}).Resolution()
		if c.want < 0 && got != nil || c.want >= 0 && got != c.motions[c.want] {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
