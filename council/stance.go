package council

import (
	"strings"
	"unicode"
)

// AsksStances reports whether members are asked for their stances: the few words in which a member names the answer
// that it prefers. They are asked first with their sealed positions, and again with every ballot on a motion.
func (c *Charter) AsksStances() bool {
	return c.Deliberation.SealedPositions && (c.Deliberation.Stances || len(c.OpeningOptions()) > 0)
}

// Stance returns the stance that an event names: of a sealed position, or of a ballot on a motion. It is empty where
// none is named, and where words of it were forgotten.
func (e Event) Stance() string {
	for kind, text := range Texts(e.Payload) {
		if kind == TextStance && StanceOf(text) != "" && !strings.Contains(text, ForgottenMark) {
			return text
		}
	}
	return ""
}

// Stance is the form in which stances are compared. It is empty for words that name nothing.
type Stance string

// StanceOf reads the words of a stance. It knows no meaning: two stances are the same when they differ in case,
// punctuation and spaces at most, so "Adopt NATS." is "adopt nats", and neither is "Use NATS". In doubt two stances
// differ: to take two answers for one would end a debate that had not been held, while to take one for two only lets it
// go on.
func StanceOf(text string) Stance {
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
	return Stance(b.String())
}

// StanceTally counts stances. The zero value has counted none.
type StanceTally struct {
	order  []Stance
	counts map[Stance]int
	words  map[Stance]string
}

// Add counts one stance. One that names nothing counts for none.
func (t *StanceTally) Add(text string) {
	k := StanceOf(text)
	if k == "" {
		return
	}
	if t.counts == nil {
		t.counts, t.words = map[Stance]int{}, map[Stance]string{}
	}
	if t.counts[k] == 0 {
		t.order, t.words[k] = append(t.order, k), text
	}
	t.counts[k]++
}

// Plurality returns the stance that was named most often, in the words in which it was named first, and how often. A
// tie has none: words is empty then, and n is how often each of the first was named.
func (t *StanceTally) Plurality() (words string, n int) {
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

// Distinct returns how many different stances were named.
func (t *StanceTally) Distinct() int { return len(t.order) }
