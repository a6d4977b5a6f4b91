package minutes

import "github.com/council-engine/council/council"

// Proposed is the leader's proposal, and the event that holds it.
type Proposed struct {
	council.AnswersProposed
	Event council.Event
}

// Positions returns the sealed positions.
func (m *Minutes) Positions() map[council.MemberID]council.PositionSealed {
	sealed := map[council.MemberID]council.PositionSealed{}
	for _, e := range m.Events {
		if p, ok := e.Payload.(council.PositionSealed); ok {
			sealed[e.Actor] = p
		}
	}
	return sealed
}
