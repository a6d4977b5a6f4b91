package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/council-engine/council/recorder/index/terms"
)

// weight returns how much it says that a document has a unit: the rarer, the more.
func (s *search) weight(u sought) float64 { return math.Log(1 + (s.size+1)/(float64(u.docs)+0.5)) }

// withinShare is what a word within a longer one weighs of the word by itself.
const withinShare = 0.75

// judge weighs the best passage of a document, of so many tokens, and says which units are in it.
func (s *search) judge(d stored, width int) (h Hit, has []bool) {
	all := slices.Collect(terms.Of(d.searched()))
	type place struct{ at, unit int }
	var places []place
	worth := make([]float64, len(s.units))
	h = Hit{Doc: d.Doc, Match: MatchAll, n: d.n}
	for i, u := range s.units {
		within := true
		for _, at := range u.In(all, u.longer) {
			places = append(places, place{at, i})
			within = within && u.longer[all[at].Term]
		}
		if worth[i] = s.weight(u); within {
			worth[i] *= withinShare
			h.Match = MatchParts
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	// A window that moves over the places counts how often each unit stands in it.
	count := make([]int, len(s.units))
	has = make([]bool, len(s.units))
	weight, from := 0.0, 0
	for _, p := range places {
		for p.at-places[from].at >= width {
			if u := places[from].unit; count[u] == 1 {
				weight -= worth[u]
			}
			count[places[from].unit]--
			from++
		}
		if count[p.unit]++; count[p.unit] == 1 {
			weight += worth[p.unit]
		}
		if weight > h.weight+1e-9 {
			h.weight = weight
			for i, n := range count {
				has[i] = n > 0
			}
		}
	}
	for i, u := range s.units {
		if !has[i] {
			h.Lacks, h.Match = append(h.Lacks, u.Shown), MatchSome
		}
	}
	quoted := len(s.units) == 1 && s.units[0].Quoted && len(s.units[0].Terms) > 1
	if h.Match == MatchAll && (quoted || len(s.phrase.Terms) > 0 && len(s.phrase.In(all, nil)) > 0) {
		h.Match = MatchPhrase
	}
	return h, has
}
