package prompt

import "github.com/council-engine/council/council"

// split is what divides a council at the pace auto, before a round on the difference.
type split struct {
	Crux  string // as the leader put it, "" where options are given
	Sides []side
}

// side is an answer that members rank first, with the strongest reason for it: that of its most confident member, of
// equals the earliest.
type side struct {
	Answer    string
	Members   []string
	Strongest string // by whom
	Words     string // fenced
}

// split returns what divided the council in its last ballot, or nil before one was counted.
func (s *scribe) split() *split {
	m := &s.minutes
	last := len(m.Motions) - 2 // the one before the open one
	if last < 0 || !s.charter.IsAuto() || m.Visit().Rounds == 0 {
		return nil
	}
	found := &split{}
	if m.Proposed != nil {
		found.Crux = s.fence.wrap(m.Proposed.Crux)
	}
	positions := m.Positions()
	for _, answer := range m.Motions[last].Options {
		one := side{Answer: s.fence.wrap(answer)}
		var best *council.PositionSealed
		for _, b := range m.Motions[last].Ballots {
			if b.Ranking.First() != answer {
				continue
			}
			one.Members = append(one.Members, s.who(b.Member))
			if p, ok := positions[b.Member]; ok && (best == nil || p.Confidence > best.Confidence) {
				best, one.Strongest = &p, s.who(b.Member)
			}
		}
		if best != nil {
			words := best.Position.Position
			if m.Proposed == nil && best.ChangeMind != "" {
				words += "\nWhat would change this mind: " + best.ChangeMind
			}
			one.Words = s.fence.wrap(words)
		}
		if len(one.Members) > 0 {
			found.Sides = append(found.Sides, one)
		}
	}
	return found
}
