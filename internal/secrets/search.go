package secrets

import (
	"maps"
	"slices"

	"github.com/council-engine/council/internal/secrets/issued"
	"github.com/council-engine/council/internal/secrets/naming"
	"github.com/council-engine/council/internal/secrets/needles"
	"github.com/council-engine/council/internal/secrets/text"
)

// matcher looks at a place where its word stands.
type matcher func(v *view, at int) []candidate

// view is a text that is searched, and what is remembered of the search.
type view struct {
	*text.View
	past int    // where the last value ended that was looked at and found to be no secret
	read int    // where the last name ended that was looked at
	held int    // where the last Secret of Kubernetes ended
	rows [2]int // the rows of the last table that was looked at
}

// one makes a matcher of a function that finds one secret or none.
func one(match func(v *view, at int) (candidate, bool)) matcher {
	return func(v *view, at int) []candidate {
		if c, ok := match(v, at); ok {
			return []candidate{c}
		}
		return nil
	}
}

// index is everything that is looked for, by the words that begin, name or stand in what may be a secret.
type index struct {
	matchers [][]matcher // of each word
	finder   *needles.Automaton
	kinds    []string
}

var all = newIndex()

func newIndex() *index {
	byWord, kinds := map[string][]matcher{}, map[string]bool{}
	for _, f := range issued.Forms() {
		w := lowerAll(f.Prefix)
		byWord[w] = append(byWord[w], one(token{f}.match))
		kinds[f.Kind] = true
	}
	for _, s := range slices.Concat(markedShapes, addressShapes, headerShapes, statedShapes, commandShapes()) {
		for _, w := range s.words {
			byWord[w] = append(byWord[w], one(s.match))
		}
		for _, k := range s.kinds {
			kinds[k] = true
		}
	}
	byWord["kind: secret"] = append(byWord["kind: secret"], manifest)
	for _, w := range naming.Words {
		byWord[w] = append(byWord[w], named)
	}
	for _, k := range naming.Kinds() {
		kinds[k] = true
	}
	words := slices.Sorted(maps.Keys(byWord))
	x := &index{finder: needles.New(words), kinds: slices.Sorted(maps.Keys(kinds))}
	for _, w := range words {
		x.matchers = append(x.matchers, byWord[w])
	}
	return x
}

func lowerAll(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = needles.Lower(b[i])
	}
	return string(b)
}

// Kinds lists every kind of secret that can be found, in alphabetical order.
func Kinds() []string { return slices.Clone(all.kinds) }

// search lists what is found in a view, in the text behind it.
func (v *view) search() []candidate {
	found := v.prefixed()
	all.finder.Each(v.Text, func(word, at int) {
		for _, match := range all.matchers[word] {
			found = append(found, match(v, at)...)
		}
	})
	return found
}
