package secrets

import (
	"maps"
	"slices"
)

// matcher looks at a place where its word stands.
type matcher func(v *view, at int) (candidate, bool)

// words begin, or name, or stand in, what may be a secret.
var (
	words    []string
	matchers [][]matcher // of each word
	finder   *automaton
	kinds    []string
)

func init() {
	byWord, all := map[string][]matcher{}, map[string]bool{}
	for _, table := range [][]token{cloudTokens, modelTokens, workTokens} {
		for i := range table {
			t := &table[i]
			w := lowerAll(t.prefix)
			byWord[w] = append(byWord[w], t.match)
			all[t.kind] = true
		}
	}
	for _, s := range shapes {
		byWord[s.word] = append(byWord[s.word], s.match)
		for _, k := range s.kinds {
			all[k] = true
		}
	}
	for _, w := range []string{"pass", "pwd", "secret", "token", "key", "credential", "auth"} {
		byWord[w] = append(byWord[w], assigned)
	}
	for _, k := range []string{"password", "secret", "token", "api-key", "docker-auth", "aws-session-token"} {
		all[k] = true
	}
	for _, v := range vendors {
		all[v.kind] = true
	}
	words = slices.Sorted(maps.Keys(byWord))
	for _, w := range words {
		matchers = append(matchers, byWord[w])
	}
	finder, kinds = newAutomaton(words), slices.Sorted(maps.Keys(all))
}

func lowerAll(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower(b[i])
	}
	return string(b)
}

// Kinds lists every kind of secret that can be found, in alphabetical order.
func Kinds() []string { return slices.Clone(kinds) }

// search lists what is found in a view, in the text behind it.
func (v *view) search() []candidate {
	var found []candidate
	finder.each(v.text, func(word, at int) {
		for _, match := range matchers[word] {
			if c, ok := match(v, at); ok {
				found = append(found, c)
			}
		}
	})
	return found
}
