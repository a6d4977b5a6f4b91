package budget_test

import (
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// councilOn seats n members on one server, which is sent so many calls at once.
func councilOn(n int, address string, parallel int) council.Charter {
	c := counciltest.Charter(n, 1, address)
	c.Phases[0].Turns, c.Phases[0].Governance.RequireSeconding = council.TurnsTogether, false
	c.Phases, c.Phases[0].Transitions, c.Phases[0].Deliverables = c.Phases[:1], nil, nil
	c.Deliberation = council.Deliberation{SealedPositions: true, ElectWithPositions: true}
	c.Output.Type = council.OutputNone
	for i := range c.Members {
		c.Members[i].Model.Parallel = parallel
	}
	return c
}

// A server on this machine that takes fewer calls at once than there are members makes some of them wait for others.
func TestForecast_CountsCallsThatWaitAtAServer(t *testing.T) {
	const here, there = "http://127.0.0.1:8080/v1", "http://models.example/v1"
	for _, test := range []struct {
		address  string
		parallel int
		want     int64 // calls one after another: three times all members, and the leader's summary
	}{
		{here, 0, 3*5 + 1}, {here, 1, 3*5 + 1}, {here, 4, 3*2 + 1}, {here, 5, 3 + 1}, {there, 0, 3 + 1}, {there, 2, 3*3 + 1},
	} {
		c := councilOn(5, test.address, test.parallel)
		if got := budget.ForecastOf(&c, make([]int64, 5)).Usual.Steps; got != test.want {
			t.Errorf("%s, %d at once: %d calls wait for one another, want %d", test.address, test.parallel, got, test.want)
		}
	}
}

// sealed returns the positions of all members, each of which took so long and has so many tokens.
func sealed(c *council.Charter, took time.Duration, fresh, wrote int64) (events []council.Event) {
	for _, m := range c.Members {
		events = append(events, council.Event{Actor: m.ID, Payload: council.PositionSealed{Answered: council.Answered{
			Ask: council.AskID("position." + string(m.ID)), AsOf: 1, Usage: council.Usage{Calls: 1, InputTokens: fresh,
				OutputTokens: wrote, ElapsedMS: took.Milliseconds()}}}})
	}
	return events
}

func TestPace_EstimatesTheRestByTheFirstReplies(t *testing.T) {
	c := councilOn(5, "http://127.0.0.1:8080/v1", 1)
	p := budget.NewPace(&c)
	if left, known := p.Left(); known {
		t.Errorf("before the first reply %s are left", left)
	}
	for _, e := range sealed(&c, 20*time.Second, 1200, 100) {
		p.Take(e)
	}
	slow, known := p.Left()
	check.That(t, known && slow >= 30*time.Second && slow <= 5*time.Minute,
		"five positions took 100 s: want minutes for the rest, got %s (%t)", slow, known)
	c = councilOn(5, "http://127.0.0.1:8080/v1", 5)
	atOnce := budget.NewPace(&c)
	for _, e := range sealed(&c, 20*time.Second, 1200, 100) {
		atOnce.Take(e)
	}
	if fast, _ := atOnce.Left(); fast > slow/3 {
		t.Errorf("a server that takes all calls at once: %s are left, where one by one it is %s", fast, slow)
	}
}
