package rehearsal

import (
	"math"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/passage"
	"github.com/council-engine/council/council/member/rehearsal/wording"
	"github.com/council-engine/council/council/stance"
)

// position is what the member thinks before anybody has spoken.
func (m seat) position() council.Position {
	s := m.Speak()
	found := m.Best(12, "")
	if m.Index.Bare {
		bank := wording.BareAdmissions
		if len(m.Topic.Documents) > 0 {
			bank = wording.EmptyAdmissions
		}
		s.Must(bank)
	}
	if !m.Index.Bare && m.strange() {
		s.Must(wording.OffTopic, "{about}", m.Call(m.Me.Lead()))
	}
	s.Must(wording.For("stances", m.Question.Form, m.Me.Stance), m.Slots()...)
	ground, against, rest := m.twoSides(found)
	if ground != nil {
		s.Must(wording.Grounds, "{q}", m.Quote(ground))
	}
	if against != nil && !m.Index.Bare {
		s.Must(wording.Counterweights, "{q}", m.Quote(against))
	}
	if w, ok := m.NextWant(func(concern.Want) bool { return false }); ok {
		s.Must(wording.Conditions, "{need}", m.Demand(w).Need)
	}
	p := council.Position{Position: s.Done(), Confidence: m.confidence(found), OnlyIKnow: m.overlooked(rest)}
	if stance.Asked(m.Charter) {
		p.Stance = m.Me.Stance.String()
	}
	return p
}

// strange reports whether the documents hardly know the words of the topic.
func (m seat) strange() bool {
	known, all := 0, 0
	for s := range mind.WordsOf(m.Question.Text, 1) {
		all++
		if len(m.Index.Postings[s]) > 0 {
			known++
		}
	}
	return known*3 < all
}

// twoSides picks the passage that a position rests on, and one that speaks against it.
func (m seat) twoSides(found []mind.Ranked) (ground, counter *mind.Entry, rest []mind.Ranked) {
	towards := map[concern.Stance]float64{concern.GoAhead: 1, concern.Trial: 0.4, concern.Wait: -1}[m.Me.Stance]
	take := func(worth func(mind.Ranked) float64) *mind.Entry {
		best := -1
		for i, r := range found {
			if worth(r) > 0 && (best < 0 || worth(r) > worth(found[best])) {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		e := found[best].Entry
		found = append(slices.Clone(found[:best]), found[best+1:]...)
		return e
	}
	ground = take(func(r mind.Ranked) float64 {
		return r.Score * (1 + 0.7*towards*m.Polarity(r.Entry)) * map[bool]float64{true: 1, false: 0.5}[m.Owner(r.Entry) == m.Me.Seat]
	})
	if m.Question.Form == mind.Proposal {
		counter = take(func(r mind.Ranked) float64 { return r.Score * -towards * m.Polarity(r.Entry) })
	}
	if counter == nil {
		counter = take(func(r mind.Ranked) float64 {
			if m.Owner(r.Entry) != m.Me.Seat || len(found) < 2 {
				return 0
			}
			return r.Score * map[bool]float64{true: 2, false: 1}[r.Trouble]
		})
	}
	return ground, counter, found
}

// confidence grows with the passages that speak to the topic and with how clearly the member's weights lean.
func (m seat) confidence(found []mind.Ranked) float64 {
	evidence := 0.0
	for _, r := range found[:min(4, len(found))] {
		evidence += 0.25 * r.Quality * (0.4 + 0.6*r.Topic)
	}
	c := 0.27 + 0.33*evidence + 0.1*m.Me.Temper + 0.12*concern.Chance(string(m.Me.ID), m.Topic.Text, "confidence")
	if m.Me.Stance != concern.Trial {
		c += 0.08
	}
	if m.Index.Bare {
		c = min(c, 0.3+0.15*concern.Chance(string(m.Me.ID), m.Topic.Text, "bare"))
	}
	return math.Round(100*min(0.95, max(0.1, c))) / 100
}

// overlooked are passages that matter to this member and that nobody would find who looks for the topic's words.
func (m seat) overlooked(found []mind.Ranked) []string {
	if m.Index.Bare {
		return []string{}
	}
	known := []string{}
	for _, r := range found {
		if len(known) < 1+int(concern.Pick(string(m.Me.ID), m.Topic.Text)%2) && mind.Care(m.Me, r.Entry) > 0 && m.Owner(r.Entry) == m.Me.Seat && r.Form != passage.Fragment {
			known = append(known, mind.Plain(m.Quote(r.Entry)))
		}
	}
	return known
}

// nominate votes for whoever's concerns cover best what the topic and the documents are about.
func (m seat) nominate() council.Nomination {
	found := m.Rank(6, "", func(*mind.Entry) bool { return true })
	fit := func(p *concern.Player) float64 {
		f := 0.35 * concern.Chance(string(m.Me.ID), string(p.ID), m.Topic.Text)
		for s := range concern.Stems(m.Topic.Text[:min(len(m.Topic.Text), 4000)]) {
			for _, t := range concern.ThemesByStem[s] {
				f += 0.3 * p.Weights[t]
			}
		}
		for _, r := range found {
			f += 0.25 * r.Topic * mind.Care(p, r.Entry)
		}
		if p.ID == m.Me.ID {
			f *= 0.75
		}
		return f
	}
	best := &m.Players[0]
	for i := range m.Players {
		if fit(&m.Players[i]) > fit(best) {
			best = &m.Players[i]
		}
	}
	slots := []string{"{name}", m.Name(best.ID), "{about}", m.Call(best.Lead()), "{q}", "“" + mind.Words(m.Question.Short) + "”"}
	s := m.Speak()
	for _, r := range found {
		if mind.Care(m.Me, r.Entry)+mind.Care(best, r.Entry) > 0 && r.Form < passage.Fragment {
			slots[5] = m.Quote(m.pickFor(best, found).Entry)
			break
		}
	}
	bank := wording.Nominations
	if best.ID == m.Me.ID {
		bank = wording.OwnNominations
	}
	s.Must(bank, slots...)
	return council.Nomination{Rationale: mind.Plain(s.Done()), CandidateID: best.ID}
}

// pickFor is the passage that matters most to somebody else; seats that like the same one take turns.
func (m seat) pickFor(p *concern.Player, found []mind.Ranked) mind.Ranked {
	best := found[0]
	for i, r := range found {
		if mind.Care(p, r.Entry)+0.5*concern.Chance(string(m.Me.ID), r.Text) > mind.Care(p, best.Entry)+0.5*concern.Chance(string(m.Me.ID), best.Text) {
			best = found[i]
		}
	}
	return best
}
