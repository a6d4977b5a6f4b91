package secrets

import (
	"maps"
	"slices"
)

// matcher looks at a place where its word stands.
type matcher func(v *view, at int) (candidate, bool)

// index is everything that is looked for, by the words that begin, name or stand in what may be a secret.
type index struct {
	matchers [][]matcher // of each word
	finder   *automaton
	kinds    []string
}

var all = newIndex()

func newIndex() *index {
	byWord, kinds := map[string][]matcher{}, map[string]bool{}
	for _, table := range [][]token{cloudTokens, modelTokens, workTokens} {
		for i := range table {
			t := &table[i]
			w := lowerAll(t.prefix)
			byWord[w] = append(byWord[w], t.match)
			kinds[t.kind] = true
		}
	}
	for _, s := range slices.Concat(markedShapes, keyShapes, addressShapes, headerShapes) {
		for _, w := range s.words {
			byWord[w] = append(byWord[w], s.match)
		}
		for _, k := range s.kinds {
			kinds[k] = true
		}
	}
	for _, w := range []string{"pass", "pwd", "secret", "token", "key", "credential", "auth"} {
		byWord[w] = append(byWord[w], assigned)
	}
	for _, k := range []string{"password", "secret", "token", "api-key", "docker-auth", "aws-session-token"} {
		kinds[k] = true
	}
	for _, v := range vendors {
		kinds[v.kind] = true
	}
	words := slices.Sorted(maps.Keys(byWord))
	x := &index{finder: newAutomaton(words), kinds: slices.Sorted(maps.Keys(kinds))}
	for _, w := range words {
		x.matchers = append(x.matchers, byWord[w])
	}
	return x
}

func lowerAll(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower(b[i])
	}
	return string(b)
}

// Kinds lists every kind of secret that can be found, in alphabetical order.
func Kinds() []string { return slices.Clone(all.kinds) }

// search lists what is found in a view, in the text behind it.
func (v *view) search() []candidate {
	var found []candidate
	all.finder.each(v.text, func(word, at int) {
		for _, match := range all.matchers[word] {
			if c, ok := match(v, at); ok {
				found = append(found, c)
			}
		}
	})
	return found
}
