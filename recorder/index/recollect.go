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
