package rules

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// baseline counts the sealed positions as if they were ballots; nil where none names an answer.
func (s *Session) baseline() council.Payload {
	b := council.Baseline{}
	options := s.charter.OpeningOptions()
	ranks, free := map[council.MemberID]quorum.Ranking{}, len(options) == 0
	var named []council.Stance
	for _, e := range s.log {
		p, ok := e.Payload.(council.PositionSealed)
		stance := council.StanceOf(p.Stance)
		switch at := slices.Index(named, stance); {
		case !ok:
		case !free:
			ranks[e.Actor], _ = p.Ranking.Of(options)
		case stance == "":
			ranks[e.Actor] = nil
		case at < 0:
			ranks[e.Actor] = quorum.Ranking{{len(named)}}
			named, b.Held = append(named, stance), append(b.Held, []council.MemberID{e.Actor})
		default:
			ranks[e.Actor] = quorum.Ranking{{at}}
			b.Held[at] = append(b.Held[at], e.Actor)
		}
	}
	if free {
		for _, by := range b.Held {
			options = append(options, string(by[0])) // by whose names the lot is drawn
		}
	}
	if len(options) == 0 {
		return nil
	}
	absent := quorum.Count{Absent: len(s.seats) - s.sealed}
	entry := s.charter.Phase(s.charter.SessionPolicy.EntryPhaseID)
	b.Decision, b.Choice = s.choose("baseline", options, ranks, s.decide(entry.Governance, absent))
	return b
}
