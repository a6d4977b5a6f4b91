package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/index/terms"
)

// What makes a document worth telling members of a new session.
const (
	maxRare      = 8   // telling words that are asked for
	passageWords = 100 // the words stand that close together
	goodShare    = 0.5 // of the weight of the topic's words, where a rare word weighs more than a common one
	wordShare    = 0.4 // of their number
	fewWords     = 2   // telling words at least, or one if the topic has no other
	newWord      = 0.5 // what a word that nobody has said yet weighs of one that one document has
)

// telling returns how many documents may have a word that tells what a text is about: one in fifty; of few documents
// more, for a session that speaks of something says its word again and again.
func telling(size float64) float64 { return max(size/50, min(200, size/5), 3) }

// Recollect looks for what was said before about a topic: at most council.MaxRecollections documents, each from another
// session, best first; usually none. Good enough is a passage of a hundred words that holds two fifths of the topic's
// words and half of their weight, two words among them that tell what a text is about. Records that are superseded are
// not told, nor is what the query leaves out.
func (ix *Index) Recollect(ctx context.Context, topic string, q Query) ([]Hit, error) {
	s, err := ix.look(ctx, q, terms.Plain(topic), func(word string) string { return word })
	var hits []Hit
	if err == nil {
		hits, err = s.recollect(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot search the index: %w", ix.damage(err))
	}
	return hits, nil
}

func (s *search) recollect(ctx context.Context) ([]Hit, error) {
	total := 0.0
	tells := make([]bool, len(s.units))
	ofThem := 0
	var rare []sought // telling ones that some document has
	for i, u := range s.units {
		if u.docs == 0 {
			total += newWord * s.weight(u)
		} else {
			total += s.weight(u)
		}
		if tells[i] = float64(u.docs) <= telling(s.size); !tells[i] {
			continue
		}
		if ofThem++; u.docs > 0 {
			rare = append(rare, u)
		}
	}
	needed := min(fewWords, ofThem)
	if needed == 0 || len(rare) < needed {
		return nil, nil
	}
	slices.SortStableFunc(rare, func(a, b sought) int { return cmp.Compare(a.docs, b.docs) })
	var any []string
	for _, u := range rare[:min(len(rare), maxRare)] {
		any = append(any, u.Match())
	}
	docs, err := s.page(ctx, strings.Join(any, " OR "), best, 0, math.MaxInt64, 0)
	if err != nil {
		return nil, err
	}
	var all []Hit
	for _, d := range docs {
		h, has := s.judge(d, passageWords)
		words, told := 0.0, 0
		for i := range has {
			if has[i] {
				words++
			}
			if has[i] && tells[i] {
				told++
			}
		}
		h.Match = MatchSome
		if h.weight >= goodShare*total && words >= wordShare*float64(len(has)) && told >= needed && !h.Superseded() {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, compare)
	var hits []Hit
	told := map[string]bool{}
	for _, h := range all {
		if of := cmp.Or(string(h.Session), h.ID); len(hits) < council.MaxRecollections && !told[of] {
			told[of] = true
			hits = append(hits, h)
		}
	}
	return hits, nil
}

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
