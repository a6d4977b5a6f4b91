package recorder_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

func TestMain(m *testing.M) {
	counciltest.Cheaply()
	counciltest.Properties(6)
	m.Run()
}

// step is n in the plain tests and 1 in the long version, which tries every single byte.
func step(n int) int { return counciltest.Often(n, 1) }

// large runs a session of nine members who talk for some rounds before one moves, and closes it.
func large(t testing.TB, rounds int) (*recorder.Root, string) {
	t.Helper()
	root, path := openRoot(t)
	c := charter()
	for _, id := range []council.MemberID{"dee", "eli", "fay", "gus", "hal", "ivy"} {
		seat := c.Members[0]
		seat.ID, seat.Name = id, strings.ToUpper(string(id))
		c.Members = append(c.Members, seat)
	}
	c.Phases[0].StopConditions.MaxRounds = rounds
	h := check.Get(conveneAs(root, fixed, c))(t)
	turns := 0
	h.script = func(v council.View) string {
		if v.Ask.Kind == council.AskTurn {
			if turns++; turns <= (rounds-1)*len(c.Members) {
				return `{"action":"CONTRIBUTE","message":"Let us see."}`
			}
		}
		return script(v)
	}
	check.OK(t, h.sit())
	return root, path
}
