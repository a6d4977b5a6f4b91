package rehearsal

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// cast is how the members of a charter differ: the same for everyone who reads the charter.
type cast struct {
	themes []theme // the built ones, then those that the charter's focus words add
	seats  []player
}

// player is what one member cares about.
type player struct {
	*council.Member
	seat    int
	weights []float64 // by theme, from 0 to 1
	order   []int     // themes, what sets the member apart first
	shift   int       // of the first demand, so that two members with one theme do not ask the same
	temper  float64   // from -1, hard to please, to 1, easy
	stance  stance
}

func (p *player) lead() int { return p.order[0] }

// newCast reads the charter. The stances also depend on what is asked.
func newCast(c *council.Charter, seats []council.MemberID, topic string) *cast {
	k := &cast{themes: slices.Clone(built)}
	for _, id := range seats {
		for _, focus := range slices.Sorted(maps.Keys(c.Member(id).FocusWeights)) {
			if strings.TrimSpace(focus) != "" && len(themesFor(focus)) == 0 && k.theme(focus) < 0 && len(k.themes) < 60 {
				k.themes = append(k.themes, invented(len(k.themes), focus))
			}
		}
	}
	for i, id := range seats {
		m := c.Member(id)
		k.seats = append(k.seats, player{Member: m, seat: i, weights: k.weigh(m), temper: temper(m)})
	}
	k.setApart(topic)
	k.takeStances(topic)
	return k
}

func (k *cast) theme(id string) int {
	return slices.IndexFunc(k.themes, func(t theme) bool { return t.id == id })
}

// player returns the member with the given id, or nil.
func (k *cast) player(id council.MemberID) *player {
	for i := range k.seats {
		if k.seats[i].ID == id {
			return &k.seats[i]
		}
	}
	return nil
}

// weigh reads what a member cares about: its focus weights first, then its role, traits and instructions.
func (k *cast) weigh(m *council.Member) []float64 {
	weights := make([]float64, len(k.themes))
	most := 1.0
	for _, w := range m.FocusWeights {
		if !math.IsNaN(w) && !math.IsInf(w, 0) {
			most = max(most, math.Abs(w))
		}
	}
	for _, focus := range slices.Sorted(maps.Keys(m.FocusWeights)) {
		w := m.FocusWeights[focus] / most
		found := themesFor(focus)
		if len(found) == 0 {
			if i := k.theme(focus); i >= 0 {
				found = []int{i}
			}
		}
		for _, i := range found {
			if w > weights[i] {
				weights[i] = w
			}
		}
	}
	hints := make([]float64, len(k.themes))
	for text, weight := range map[string]float64{m.Role + " " + m.Name: 3, strings.Join(m.Traits, " "): 2, m.SystemPrompt: 1} {
		for s := range stems(text) {
			for _, i := range themesByStem[s] {
				hints[i] += weight * float64(built[i].stems[s]) // multiples of a half: the order does not matter
			}
		}
	}
	strongest := slices.Max(hints)
	for i := range weights {
		if strongest > 0 {
			weights[i] += 0.35 * hints[i] / strongest
		}
		weights[i] = min(1, max(0, weights[i]))
	}
	return weights
}

var (
	hard = wordSet("cautious sceptical skeptical careful rigorous strict critical demanding conservative stubborn blunt precise thorough suspicious exacting adversarial doubting wary")
	easy = wordSet("pragmatic optimistic constructive bold practical friendly collaborative flexible patient open generous diplomatic decisive calm curious warm helpful empathetic")
)

// temper reads from a member's traits how easily it is pleased.
func temper(m *council.Member) float64 {
	t := 0.0
	for _, trait := range m.Traits {
		for word := range strings.FieldsSeq(strings.ToLower(strings.ReplaceAll(trait, "-", " "))) {
			switch {
			case hard[word]:
				t -= 0.5
			case easy[word]:
				t += 0.5
			}
		}
	}
	return min(1, max(-1, t))
}

// setApart orders each member's themes by what it cares about more than the others do, and gives as many members as
// possible a lead of their own.
func (k *cast) setApart(topic string) {
	mean := make([]float64, len(k.themes))
	for _, p := range k.seats {
		for i, w := range p.weights {
			mean[i] += w / float64(len(k.seats))
		}
	}
	taken := make([]int, len(k.themes))
	for s := range k.seats {
		p := &k.seats[s]
		apart := func(i int) float64 { return p.weights[i] * (1 + p.weights[i] - mean[i]) }
		p.order = make([]int, len(k.themes))
		for i := range p.order {
			p.order[i] = i
		}
		slices.SortFunc(p.order, func(a, b int) int {
			return cmp.Or(cmp.Compare(apart(b), apart(a)), cmp.Compare(pick(string(p.ID), topic, k.themes[a].id), pick(string(p.ID), topic, k.themes[b].id)))
		})
		for at, i := range p.order {
			if taken[i] == 0 && apart(i) >= 0.6*apart(p.order[0]) {
				p.order = slices.Insert(slices.Delete(p.order, at, at+1), 0, i)
				break
			}
		}
		p.shift = taken[p.lead()]
		taken[p.lead()]++
	}
}
