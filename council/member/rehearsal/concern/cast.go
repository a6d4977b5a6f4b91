package concern

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/passage"
)

// Cast is how the members of a charter differ: the same for everyone who reads the charter.
type Cast struct {
	Themes  []Theme // the built ones, then those that the charter's focus words add
	Players []Player
}

// Player is what one member cares about.
type Player struct {
	*council.Member
	Seat    int
	Weights []float64 // by theme, from 0 to 1
	Order   []int     // themes, what sets the member apart first
	Shift   int       // of the first demand, so that two members with one theme do not ask the same
	Temper  float64   // from -1, hard to please, to 1, easy
	Stance  Stance
}

// Lead is the theme that sets the member apart from the others.
func (p *Player) Lead() int { return p.Order[0] }

// NewCast reads the charter. The stances also depend on what is asked.
func NewCast(c *council.Charter, seats []council.MemberID, topic string) *Cast {
	k := &Cast{Themes: slices.Clone(Built)}
	for _, id := range seats {
		for _, focus := range slices.Sorted(maps.Keys(c.Member(id).FocusWeights)) {
			if strings.TrimSpace(focus) != "" && len(ThemesFor(focus)) == 0 && k.theme(focus) < 0 && len(k.Themes) < 60 {
				k.Themes = append(k.Themes, invented(len(k.Themes), focus))
			}
		}
	}
	for i, id := range seats {
		m := c.Member(id)
		k.Players = append(k.Players, Player{Member: m, Seat: i, Weights: k.weigh(m), Temper: temper(m)})
	}
	k.setApart(topic)
	k.takeStances(topic)
	return k
}

func (k *Cast) theme(id string) int {
	return slices.IndexFunc(k.Themes, func(t Theme) bool { return t.id == id })
}

// Player returns the member with the given id, or nil.
func (k *Cast) Player(id council.MemberID) *Player {
	for i := range k.Players {
		if k.Players[i].ID == id {
			return &k.Players[i]
		}
	}
	return nil
}

// weigh reads what a member cares about: its focus weights first, then its role, traits and instructions.
func (k *Cast) weigh(m *council.Member) []float64 {
	weights := make([]float64, len(k.Themes))
	most := 1.0
	for _, w := range m.FocusWeights {
		if !math.IsNaN(w) && !math.IsInf(w, 0) {
			most = max(most, math.Abs(w))
		}
	}
	for _, focus := range slices.Sorted(maps.Keys(m.FocusWeights)) {
		w := m.FocusWeights[focus] / most
		found := ThemesFor(focus)
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
	hints := make([]float64, len(k.Themes))
	for text, weight := range map[string]float64{m.Role + " " + m.Name: 3, strings.Join(m.Traits, " "): 2, m.SystemPrompt: 1} {
		for s := range Stems(text) {
			for _, i := range ThemesByStem[s] {
				hints[i] += weight * float64(Built[i].Stems[s]) // multiples of a half: the order does not matter
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
	hard = passage.WordSet("cautious sceptical skeptical careful rigorous strict critical demanding conservative stubborn blunt precise thorough suspicious exacting adversarial doubting wary")
	easy = passage.WordSet("pragmatic optimistic constructive bold practical friendly collaborative flexible patient open generous diplomatic decisive calm curious warm helpful empathetic")
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
func (k *Cast) setApart(topic string) {
	mean := make([]float64, len(k.Themes))
	for _, p := range k.Players {
		for i, w := range p.Weights {
			mean[i] += w / float64(len(k.Players))
		}
	}
	taken := make([]int, len(k.Themes))
	for s := range k.Players {
		p := &k.Players[s]
		apart := func(i int) float64 { return p.Weights[i] * (1 + p.Weights[i] - mean[i]) }
		p.Order = make([]int, len(k.Themes))
		for i := range p.Order {
			p.Order[i] = i
		}
		slices.SortFunc(p.Order, func(a, b int) int {
			return cmp.Or(cmp.Compare(apart(b), apart(a)), cmp.Compare(Pick(string(p.ID), topic, k.Themes[a].id), Pick(string(p.ID), topic, k.Themes[b].id)))
		})
		for at, i := range p.Order {
			if taken[i] == 0 && apart(i) >= 0.6*apart(p.Order[0]) {
				p.Order = slices.Insert(slices.Delete(p.Order, at, at+1), 0, i)
				break
			}
		}
		p.Shift = taken[p.Lead()]
		taken[p.Lead()]++
	}
}

// Want names a demand: the nth of a theme of the cast.
type Want struct{ Theme, N int }

// WantsIn finds the demands that a text names, in the order of the text.
func (k *Cast) WantsIn(text string) []Want {
	text = strings.ToLower(text)
	var found []Want
	var places []int
	for i := range k.Themes {
		for n := range k.Themes[i].Demands {
			if p := strings.Index(text, k.Themes[i].Demands[n].Need); p >= 0 {
				at, _ := slices.BinarySearch(places, p)
				places = slices.Insert(places, at, p)
				found = slices.Insert(found, at, Want{i, n})
			}
		}
	}
	return found
}

// Demand is the demand that w names.
func (k *Cast) Demand(w Want) *Demand { return &k.Themes[w.Theme].Demands[w.N] }
