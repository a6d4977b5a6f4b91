package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// Bounds of a recollection.
const (
	maxRare    = 8   // specific words that are searched for
	candidates = 10  // sessions of which the best documents are looked at
	near       = 100 // words between two specific ones at most
	goodShare  = 0.5 // of the weight of the topic's words, where a rare word weighs more than a common one
	wordShare  = 0.4 // of their number
	newWord    = 0.5 // weight of a word in no document, of that of a word in one
)

// Recollect searches for earlier texts on a topic: at most council.MaxRecollections documents, each from another
// session, best first; usually none. A document is good enough if it has two fifths of the topic's words and half of
// their weight, and within a hundred words of each other two specific ones, or one if the topic has no other.
// Superseded records are left out.
func (ix *Index) Recollect(ctx context.Context, topic string, q Query) (hits []Hit, err error) {
	s := &search{q: q, units: readTopic(topic)}
	err = ix.read(ctx, s, func() (err error) {
		hits, err = s.recollect(ctx)
		return err
	})
	return hits, err
}

// weight returns the weight of a unit: the rarer, the more.
func (s *search) weight(u unit) float64 {
	w := math.Log(1 + (s.size+1)/(float64(u.docs)+0.5))
	if u.docs == 0 {
		return newWord * w
	}
	return w
}

func (s *search) recollect(ctx context.Context) ([]Hit, error) {
	// A specific word is in one document of fifty at most; in more where there are few documents, because a session on a
	// subject repeats its word.
	mostDocs := min(commonDocs, int(max(s.size/50, min(200, s.size/5), 3)))
	total, tells := 0.0, 0
	var rare []unit // specific ones that some document has
	for _, u := range s.units {
		total += s.weight(u)
		if u.docs <= mostDocs {
			if tells++; u.docs > 0 {
				rare = append(rare, u)
			}
		}
	}
	if needed := min(2, tells); needed == 0 || len(rare) < needed {
		return nil, nil
	}
	slices.SortStableFunc(rare, func(a, b unit) int { return a.docs - b.docs })
	var any, both []string
	for i, u := range rare[:min(len(rare), maxRare)] {
		any = append(any, u.match)
		for _, v := range rare[:i] {
			both = append(both, fmt.Sprintf("NEAR(%s %s, %d)", v.match, u.match, near))
		}
	}
	if tells == 1 {
		both = any
	}
	found, err := s.matches(ctx, strings.Join(any, " OR "), 0, true)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(m match) bool { return m.signs&isSuperseded != 0 })
	groups := s.groupBySession(found)
	found = nil
	var docs []int64
	for _, g := range groups[:min(len(groups), candidates)] {
		for _, m := range g.matches[:min(len(g.matches), bestDocs)] {
			found, docs = append(found, m), append(docs, m.n)
		}
	}
	good, err := s.matchesAmong(ctx, strings.Join(both, " OR "), docs)
	weight, words := map[int64]float64{}, map[int64]int{}
	for _, u := range s.units {
		if err != nil {
			return nil, err
		}
		var has map[int64]bool
		has, err = s.matchesAmong(ctx, u.match, docs)
		for n := range has {
			weight[n] += s.weight(u)
			words[n]++
		}
	}
	found = slices.DeleteFunc(found, func(m match) bool {
		return !good[m.n] || weight[m.n] < goodShare*total || float64(words[m.n]) < wordShare*float64(len(s.units))
	})
	for i, m := range found {
		found[i].rank = weight[m.n]
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.rank, a.rank) })
	groups = s.groupBySession(found)
	var hits []Hit
	for _, g := range groups[:min(len(groups), council.MaxRecollections)] {
		h, err := s.readHit(ctx, g.best.n, strings.Join(any, " OR "))
		if err != nil {
			return nil, err
		}
		h.Match = MatchSome
		hits = append(hits, h)
	}
	return hits, err
}
