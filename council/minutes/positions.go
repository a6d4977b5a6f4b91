package minutes

import (
	"slices"

	"github.com/council-engine/council/council"
)

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
	Sides []Side // in the order of the answers, none of these last
}

// Side is an answer, or none of these, that members rank alone first.
type Side struct {
	Answer    string
	Positions []council.Event // of these members, in the order of their ballots
	Strongest council.Event   // of the most confident of them, among equals the first; zero of none, and for none of these
	Members   []council.MemberID
}

// Division returns the division in the last ballot that was counted, or nil before one, and at other paces.
func (m *Minutes) Division() *Division {
	on := last(slices.DeleteFunc(slices.Clone(m.Motions), func(on *Motion) bool { return on.Choice == nil }))
	if on == nil || !m.Started.Charter.IsAuto() {
		return nil
	}
	d := &Division{}
	if m.Proposed != nil {
		d.Crux = m.Proposed.Crux
	}
	positions := m.Positions()
	for _, answer := range append(slices.Clone(on.Options), council.NoneOfThese) {
		side, most := Side{Answer: answer}, -1.0
		for _, b := range on.Ballots {
			if b.Ranking.Leads() != answer {
				continue
			}
			side.Members = append(side.Members, b.Member)
			if e, ok := positions[b.Member]; ok {
				side.Positions = append(side.Positions, e)
				if p := e.Payload.(council.PositionSealed); p.Confidence > most && answer != council.NoneOfThese {
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

// Agreement is how many seats asked for what was decided, with the models in them.
type Agreement struct {
	For       int        // seats that asked for it in their last ballots: the fewest, where there are several resolutions
	Of        int        // seats
	Seats     []string   // the model of each, as provider/model, sorted
	Models    int        // configured, each once
	Families  []string   // of these, each once, sorted
	Measured  *Accuracy  // nil: nothing was measured for such a council
	Evaluated *Evaluated // what the workspace measured itself, told in place of it; nil: nothing
}

// Unanimous reports whether every seat asked for what was decided.
func (a *Agreement) Unanimous() bool { return a.For == a.Of }

// Accuracy is how often three models that answered independently were right on recorded questions.
type Accuracy struct {
	Questions     string
	Panel         string // the three models
	Agreed, Split string // times in 100, where all agreed, and where two did
}

// Evaluated is how often decisions with such an agreement of the same models were right in evaluations.
type Evaluated struct{ Right, Questions int }

// The measurements; docs/evaluation.md has their sources.
var (
	ofFamilies  = Accuracy{"exam questions", "of three families", "87 to 88", "57 to 61"}
	ofOneFamily = Accuracy{"exam questions", "of one family", "84", "57"}
	ofOwnWords  = Accuracy{"questions with open answers", "of three families", "95 to 98", "73 to 75"}
)

// Agreement returns the agreement behind the decision. It is nil where nothing is decided, and where a person, a
// script or the rehearsal has a seat, or one model has the only one.
func (m *Minutes) Agreement() *Agreement {
	charter := m.Started.Charter
	charter.Members = m.membersAsked()
	k := charter.Families(false)
	if m.Outcome == nil || m.Outcome.Rehearsed || len(m.Outcome.Resolutions) == 0 || k.Seats < 2 ||
		k.Seats < len(charter.Members) {
		return nil
	}
	a := &Agreement{For: k.Seats, Of: k.Seats, Evaluated: m.Evaluated, Models: len(k.Models), Families: k.Families}
	a.Seats = council.Map(charter.Members, func(m council.Member) string { return m.Model.Name() })
	slices.Sort(a.Seats)
	for _, r := range m.Outcome.Resolutions {
		asked := r.Yes
		if on := m.Motion(r.Motion); on != nil && on.Choice != nil && len(on.Ballots) > 0 {
			asked = on.firstChoices().Votes
		}
		a.For = min(a.For, asked)
	}
	switch {
	case len(k.Models) == 1 || len(k.Families) == 2: // nothing was measured for copies, nor for two families
	case k.Alike():
		a.Measured = &ofOneFamily
	case m.Agreed && charter.Options == nil: // before they saw the words of the others
		a.Measured = &ofOwnWords
	default:
		a.Measured = &ofFamilies
	}
	return a
}

// membersAsked lists the members that sit, and at the pace auto the spares once they were asked.
func (m *Minutes) membersAsked() []council.Member {
	c, positions := &m.Started.Charter, m.Positions()
	return slices.DeleteFunc(slices.Clone(c.Members), func(one council.Member) bool {
		_, asked := positions[one.ID]
		return c.IsSpare(one.ID) && !asked
	})
}
