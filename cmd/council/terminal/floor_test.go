package terminal

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// People are told what would end the debate, as models are.
func TestWhoHasTheFloorKnowsWhatWouldEndTheDebate(t *testing.T) {
	opened := council.PositionsOpened{Agreed: true}
	carried := func(yes int) council.MotionDecided {
		return council.MotionDecided{Decision: council.Decision{Result: quorum.Carried, Count: quorum.Count{Yes: yes}}}
	}
	const leads, quiet, last = "you begin as leader", "ends the phase", "the last round"
	for name, test := range map[string]struct {
		round, turn int
		events      []council.Payload
		says        string
	}{
		"the leader of those of one mind":      {1, 1, []council.Payload{opened}, leads},
		"after a motion with every vote":       {1, 1, []council.Payload{opened, carried(3)}, leads},
		"after a motion that somebody opposed": {1, 1, []council.Payload{opened, carried(2)}, ""},
		"after a motion that died":             {1, 1, []council.Payload{opened, council.MotionDied{}}, ""},
		"those who do not agree":               {1, 1, []council.Payload{council.PositionsOpened{}}, ""},
		"the next turn":                        {1, 2, []council.Payload{opened}, ""},
		"a further round":                      {2, 1, []council.Payload{opened}, quiet},
		"the last round":                       {3, 1, []council.Payload{opened}, last},
	} {
		v := asking(council.AskTurn)
		v.Charter.Deliberation = council.Deliberation{SealedPositions: true, Stances: true, ContestedOnly: true}
		v.Phase.StopConditions.MaxRounds = 3
		v.Round, v.Turn = test.round, test.turn
		v.Events = append(v.Events, council.Event{Seq: 1, Payload: council.SessionStarted{Charter: *v.Charter}})
		for i, p := range test.events {
			v.Events = append(v.Events, council.Event{Seq: council.Seq(i + 2), Payload: p})
		}
		shown := Question(v, 0)
		for _, words := range []string{leads, quiet, last} {
			if strings.Contains(shown, words) != (words == test.says) {
				t.Errorf("%s: of %q:\n%s", name, words, shown)
			}
		}
	}
}
