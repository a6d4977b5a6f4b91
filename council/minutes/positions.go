package minutes

import "github.com/council-engine/council/council"

// Proposed is the leader's proposal, and the event that holds it.
type Proposed struct {
	council.AnswersProposed
	Event council.Event
}

// Positions returns the events of the sealed positions.
func (m *Minutes) Positions() map[council.MemberID]council.Event {
	sealed := map[council.MemberID]council.Event{}
	for e := range council.Payloads[council.PositionSealed](m.Events) {
		sealed[e.Actor] = e
	}
	return sealed
}

// Division is what divides a council at the pace auto after a ballot.
type Division struct {
	Crux  string // the question on which the positions differ, "" where no leader proposed answers
	Sides []Side // in the order of the answers
}

// Side is an answer that members rank alone first.
type Side struct {
	Answer    string
	Positions []council.Event // of these members, in the order of their ballots
	Strongest council.Event   // of the most confident of them, among equals the first; zero where none sealed one
	Members   []council.MemberID
}

// Division returns the division in the last ballot that was counted, or nil before one, and at other paces.
func (m *Minutes) Division() *Division {
	counted := func(on *Motion) bool { return on.Choice != nil }
	i := len(m.Motions) - 1
	for i >= 0 && !counted(m.Motions[i]) {
		i--
	}
	if i < 0 || !m.Started.Charter.IsAuto() {
		return nil
	}
	d := &Division{}
	if m.Proposed != nil {
		d.Crux = m.Proposed.Crux
	}
	positions := m.Positions()
	for _, answer := range m.Motions[i].Options {
		side := Side{Answer: answer}
		most := -1.0
		for _, b := range m.Motions[i].Ballots {
			if b.Ranking.First() != answer {
				continue
			}
			side.Members = append(side.Members, b.Member)
			if e, ok := positions[b.Member]; ok {
				side.Positions = append(side.Positions, e)
				if p := e.Payload.(council.PositionSealed); p.Confidence > most {
					most, side.Strongest = p.Confidence, e
				}
			}
		}
		if len(side.Members) > 0 {
			d.Sides = append(d.Sides, side)
		}
	}
	return d
}
