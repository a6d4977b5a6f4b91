package rehearsal

import (
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// slots fill the phrases about the question itself.
func (m *mind) slots(more ...string) []string {
	slots := append([]string{"{action}", hostile.Inline(m.q.action)}, more...)
	if m.q.form == choice {
		a, b := m.sides()
		slots = append(slots, "{a}", "“"+hostile.Inline(a)+"”", "{b}", "“"+hostile.Inline(b)+"”")
	}
	return slots
}

// sides are the two sides of a choice, the one that this member prefers first: whichever the documents say more about,
// read with the member's own eyes.
func (m *mind) sides() (string, string) {
	a, b := m.q.options[0], m.q.options[1]
	if m.support(b)+0.3*chance(string(m.me.ID), b) > m.support(a)+0.3*chance(string(m.me.ID), a) {
		return b, a
	}
	return a, b
}

func (m *mind) support(option string) float64 {
	sum, n := 0.0, 0.0
	for i, score := range m.x.match(wordsOf(option, 1)) {
		if score > 0 {
			sum += float64(int(100 * m.x.entries[i].quality * (0.5 + m.me.care(&m.x.entries[i])))) // whole numbers: the order does not matter
			n++
		}
	}
	return sum / 100 / (n + 2)
}

// position is what the member thinks before anybody has spoken.
func (m *mind) position() council.Position {
	s := m.speak()
	found := m.best(12, "")
	if m.x.bare {
		s.must(bareAdmissions)
	}
	s.must(stances[m.q.form][m.me.stance], m.slots()...)
	ground, against, rest := m.twoSides(found)
	if ground != nil {
		s.must(grounds, "{q}", m.quote(ground))
	}
	if against != nil && !m.x.bare {
		s.must(counterweights, "{q}", m.quote(against))
	}
	if w, ok := m.nextWant(func(want) bool { return false }); ok {
		s.must(conditions, "{need}", m.demand(w).need)
	}
	return council.Position{Position: s.done(), Confidence: m.confidence(found), OnlyIKnow: m.overlooked(rest)}
}

// twoSides picks the passage that a position rests on, and one that speaks against it.
func (m *mind) twoSides(found []ranked) (ground, counter *entry, rest []ranked) {
	towards := map[stance]float64{goAhead: 1, trial: 0.4, wait: -1}[m.me.stance]
	take := func(worth func(ranked) float64) *entry {
		best := -1
		for i, r := range found {
			if worth(r) > 0 && (best < 0 || worth(r) > worth(found[best])) {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		e := found[best].entry
		found = append(slices.Clone(found[:best]), found[best+1:]...)
		return e
	}
	ground = take(func(r ranked) float64 {
		return r.score * (1 + 0.7*towards*m.polarity(r.entry)) * map[bool]float64{true: 1, false: 0.5}[m.owner(r.entry) == m.me.seat]
	})
	if m.q.form == proposal {
		counter = take(func(r ranked) float64 { return r.score * -towards * m.polarity(r.entry) })
	}
	if counter == nil {
		counter = take(func(r ranked) float64 {
			if m.owner(r.entry) != m.me.seat || len(found) < 2 {
				return 0
			}
			return r.score * map[bool]float64{true: 2, false: 1}[r.trouble]
		})
	}
	return ground, counter, found
}

// confidence grows with the passages that speak to the topic and with how clearly the member's weights lean.
func (m *mind) confidence(found []ranked) float64 {
	evidence := 0.0
	for _, r := range found[:min(4, len(found))] {
		evidence += 0.25 * r.quality * (0.4 + 0.6*r.topic)
	}
	c := 0.27 + 0.33*evidence + 0.1*m.me.temper + 0.12*chance(string(m.me.ID), m.Topic.Text, "confidence")
	if m.me.stance != trial {
		c += 0.08
	}
	if m.x.bare {
		c = min(c, 0.3+0.15*chance(string(m.me.ID), m.Topic.Text, "bare"))
	}
	return math.Round(100*min(0.95, max(0.1, c))) / 100
}

// overlooked are passages that matter to this member and that nobody would find who looks for the topic's words.
func (m *mind) overlooked(found []ranked) []string {
	if m.x.bare {
		return []string{}
	}
	known := []string{}
	for _, r := range found {
		if len(known) < 1+int(pick(string(m.me.ID), m.Topic.Text)%2) && m.me.care(r.entry) > 0 && m.owner(r.entry) == m.me.seat && r.Form != 3 {
			known = append(known, m.quote(r.entry))
		}
	}
	return known
}

// nominate votes for whoever's concerns cover best what the topic and the documents are about.
func (m *mind) nominate() council.Nomination {
	found := m.rank(6, "", func(*entry) bool { return true })
	fit := func(p *player) float64 {
		f := 0.35 * chance(string(m.me.ID), string(p.ID), m.Topic.Text)
		for s := range stems(m.Topic.Text[:min(len(m.Topic.Text), 4000)]) {
			for _, t := range themesByStem[s] {
				f += 0.3 * p.weights[t]
			}
		}
		for _, r := range found {
			f += 0.25 * r.topic * p.care(r.entry)
		}
		if p.ID == m.me.ID {
			f *= 0.75
		}
		return f
	}
	best := &m.seats[0]
	for i := range m.seats {
		if fit(&m.seats[i]) > fit(best) {
			best = &m.seats[i]
		}
	}
	slots := []string{"{name}", m.name(best.ID), "{about}", m.call(best.lead()), "{q}", "“" + words(m.q.short) + "”"}
	s := m.speak()
	for _, r := range found {
		if m.me.care(r.entry)+best.care(r.entry) > 0 && r.Form < 3 {
			slots[5] = m.quote(m.pickFor(best, found).entry)
			break
		}
	}
	bank := nominations
	if best.ID == m.me.ID {
		bank = ownNominations
	}
	s.must(bank, slots...)
	return council.Nomination{Rationale: strings.TrimSpace(s.done()), CandidateID: best.ID}
}

// call names a theme, each seat in its own words.
func (m *mind) call(theme int) string {
	t := &m.themes[theme]
	if n := m.me.seat % (len(t.also) + 1); n > 0 {
		return t.also[n-1]
	}
	return t.about
}

// pickFor is the passage that matters most to somebody else; seats that like the same one take turns.
func (m *mind) pickFor(p *player, found []ranked) ranked {
	best := found[0]
	for i, r := range found {
		if p.care(r.entry)+0.5*chance(string(m.me.ID), r.Text) > p.care(best.entry)+0.5*chance(string(m.me.ID), best.Text) {
			best = found[i]
		}
	}
	return best
}
