package doctor

import (
	"net/http"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/member/tools"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// For returns a doctor with the models and tools that members would have.
func For(world *site.World, root string) Doctor {
	return Doctor{
		World: world, Seat: trialSeat(world), Keys: world.KeyPlace,
		Transport: endpoint.NewClient(world.Gate(root)).Transport,
		Tools: func(c *council.Charter, m *council.Member) (*tools.Box, error) {
			return seat.RosterOf(world, c.Storage.RootDir).Kit(c, m)
		},
		Windows: world.Windows,
	}
}

// trialSeat makes models of which each question is one call. They share credentials and the lines before servers, and
// nothing else.
func trialSeat(world *site.World) func(*council.Charter, council.Model, *http.Client) (member.Model, func(), error) {
	var shared *seat.Roster
	return func(c *council.Charter, m council.Model, client *http.Client) (member.Model, func(), error) {
		if shared == nil { // every member is seated once before any is asked, by one goroutine
			shared = seat.RosterOf(world, c.Storage.RootDir)
		}
		r := shared.ForProbe(client)
		model, err := r.Try(m)
		return model, r.Close, err
	}
}
