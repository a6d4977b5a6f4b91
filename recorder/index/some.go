package index

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/recorder/index/terms"
)

// some looks for documents that have some of the words: first those that anything has, all together, then any of the
// rare ones. What holds less than half of what the best one holds is left out.
func (s *search) some(ctx context.Context) error {
	var known []sought
	for _, u := range s.units {
		if !u.nowhere() {
			known = append(known, u)
		}
	}
	if len(known) == 0 {
		return nil
	}
	slices.SortStableFunc(known, func(a, b sought) int { return cmp.Compare(a.docs, b.docs) })
	var every, rare []string
	for i, u := range known {
		every = append(every, u.group())
		if i == 0 || u.docs <= rareWord && len(rare) < maxRare {
			rare = append(rare, u.group())
		}
	}
	asks := []string{strings.Join(rare, " OR ")}
	if len(known) < len(s.units) && len(known) > 1 && known[0].docs >= sample {
		asks = append([]string{strings.Join(every, " AND ")}, asks...)
	}
	var pool []Hit
	for _, ask := range asks {
		hits, _, err := s.page(ctx, ask, 0, math.MaxInt64, true)
		if err != nil {
			return err
		}
		for _, h := range hits {
			h.Match = MatchSome
			var has []bool
			h.weight, has = s.judge(h.Text, math.MaxInt)
			h.Lacks = s.lacks(has)
			s.seen[h.n] = true
			pool = append(pool, h)
		}
	}
	best := 0.0
	for _, h := range pool {
		best = max(best, h.weight)
	}
	s.take(slices.DeleteFunc(pool, func(h Hit) bool { return h.weight == 0 || h.weight < best/2 }))
	return nil
}

// weight returns how much it says that a document has a unit: the rarer, the more.
func (s *search) weight(u sought) float64 { return math.Log(1 + (s.size+1)/(float64(u.docs)+0.5)) }

// withinShare is what a word within a longer one weighs of the word by itself.
const withinShare = 0.9

// judge weighs the best passage of a text, of so many tokens, and says which units are in it.
func (s *search) judge(text string, width int) (best float64, has []bool) {
	all := slices.Collect(terms.Of(text))
	type place struct{ at, unit int }
	var places []place
	worth := make([]float64, len(s.units))
	for i, u := range s.units {
		if worth[i] = s.weight(u); len(u.In(all, false)) == 0 {
			worth[i] *= withinShare
		}
		for _, at := range u.In(all, true) {
			places = append(places, place{at, i})
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
		if weight > best+1e-9 {
			best = weight
			for i, n := range count {
				has[i] = n > 0
			}
		}
	}
	return best, has
}

// lacks lists what is not there.
func (s *search) lacks(has []bool) []string {
	var lacks []string
	for i, u := range s.units {
		if !has[i] {
			lacks = append(lacks, u.Shown)
		}
	}
	return lacks
}
