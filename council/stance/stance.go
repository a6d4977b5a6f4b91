// Package stance compares stances: the few words in which a member names the answer that it prefers.
//
// It knows words and no meaning. Two stances are the same when they differ in case, punctuation and spaces at most, so
// "Adopt NATS." is "adopt nats", and neither is "Use NATS". In doubt two stances differ: to take two answers for one
// would end a debate that had not been held, while to take one for two only lets it go on.
package stance

import (
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
)

// Asked reports whether the members of a council are asked for their stances: first with their sealed positions, and
// again with every ballot on a motion.
func Asked(c *council.Charter) bool { return c.Deliberation.Stances && c.Deliberation.SealedPositions }

// Key is what a stance is compared by. It is empty for a stance that names nothing.
type Key string

// Of reads a stance.
func Of(text string) Key {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.S):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteRune(r)
			gap = false
		case r != '\'' && r != '’': // don't is dont
			gap = true
		}
	}
	return Key(b.String())
}

// Tally counts stances. The zero value has counted none.
type Tally struct {
	order  []Key
	counts map[Key]int
	words  map[Key]string
}

// Add counts one stance. One that names nothing counts for none.
func (t *Tally) Add(text string) {
	k := Of(text)
	if k == "" {
		return
	}
	if t.counts == nil {
		t.counts, t.words = map[Key]int{}, map[Key]string{}
	}
	if t.counts[k] == 0 {
		t.order, t.words[k] = append(t.order, k), text
	}
	t.counts[k]++
}

// Plurality is the stance that was named most often, in the words in which it was named first, and how often. A tie has
// none: words is empty then, and n is how often each of the first was named.
func (t *Tally) Plurality() (words string, n int) {
	tied := false
	for _, k := range t.order {
		switch c := t.counts[k]; {
		case c > n:
			words, n, tied = t.words[k], c, false
		case c == n:
			tied = true
		}
	}
	if tied {
		return "", n
	}
	return words, n
}

// Distinct is how many different stances were named.
func (t *Tally) Distinct() int { return len(t.order) }
