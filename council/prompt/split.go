package prompt

import "github.com/council-engine/council/council"

// split is what divides a council at the pace auto, before a round on the difference.
type split struct {
	Crux  string // fenced; "" where options are given
	Sides []side
}

// side is an answer that members rank first, with the strongest reason for it.
type side struct {
	Answer    string // fenced
	Members   []string
	Strongest string // its author
	Words     string // fenced
}

// positionOf names a member's position: by its author, or by its number where it has one.
func (s *scribe) positionOf(m council.MemberID) string {
	if n := s.pseudonyms; n != nil && m != s.me {
		return n.title(n.members[m])
	}
	return s.who(m)
}

// split returns what divided the council in its last ballot, or nil before a round on the difference.
func (s *scribe) split() *split {
	d := s.minutes.Division()
	if d == nil || s.minutes.Visit().Rounds == 0 {
		return nil
	}
	found := &split{}
	if d.Crux != "" {
		found.Crux = s.fence.wrap(d.Crux)
	}
	for _, held := range d.Sides {
		one := side{Answer: s.fence.wrap(held.Answer), Members: council.Map(held.Members, s.who)}
		if p, ok := held.Strongest.Payload.(council.PositionSealed); ok {
			words := p.Position.Position
			if d.Crux == "" && p.ChangeMind != "" {
				words += "\nWhat would change this mind: " + p.ChangeMind
			}
			one.Strongest, one.Words = s.positionOf(held.Strongest.Actor), s.fence.wrap(words)
		}
		found.Sides = append(found.Sides, one)
	}
	return found
}
