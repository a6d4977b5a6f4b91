// Package concern knows what members care about: themes with the words that speak of them, the demands that follow from
// each, and how the members of a charter differ.
package concern

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council/member/rehearsal/passage"
)

// Stems yields the words of text that carry meaning, reduced to a common form. Scripts without spaces give pairs of
// characters.
func Stems(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
			if r, _ := utf8.DecodeRuneInString(word); passage.Wide(r) {
				last := rune(0)
				for _, r := range word {
					if last != 0 && !yield(string([]rune{last, r})) {
						return
					}
					last = r
				}
				continue
			}
			if s := stem(word); s != "" && !yield(s) {
				return
			}
		}
	}
}

// stem reduces a word to what its forms share, roughly. It is "" for words without meaning of their own.
func stem(word string) string {
	word = strings.ToLower(strings.Trim(word, "'’"))
	for _, tail := range []string{"'s", "’s", "n't", "n’t"} {
		word = strings.TrimSuffix(word, tail)
	}
	if utf8.RuneCountInString(word) < 2 || stopWords[word] {
		return ""
	}
	if len(word) < 5 {
		return strings.TrimSuffix(word, "s")
	}
	for _, rule := range []struct{ tail, head string }{
		{"ations", "at"}, {"ation", "at"}, {"ities", ""}, {"ity", ""}, {"ies", ""}, {"ments", ""}, {"ment", ""}, {"ingly", ""},
		{"ings", ""}, {"ing", ""}, {"edly", ""}, {"ions", ""}, {"ion", ""}, {"able", ""}, {"ible", ""}, {"ness", ""}, {"sses", "ss"}, {"es", ""}, {"ed", ""},
		{"ers", ""}, {"er", ""}, {"ors", ""}, {"or", ""}, {"ly", ""}, {"al", ""}, {"s", ""}, {"e", ""}, {"y", ""},
	} {
		if head, ok := strings.CutSuffix(word, rule.tail); ok && len(head) >= 3 && !(rule.tail == "s" && strings.HasSuffix(head, "s")) {
			word = head + rule.head
			break
		}
	}
	if n := len(word); n > 4 && word[n-1] == word[n-2] && word[n-1] != 's' && word[n-1] != 'l' {
		word = word[:n-1]
	}
	return strings.TrimSuffix(strings.TrimSuffix(word, "e"), "i")
}

// stopWords say nothing about what a text is about. They include what people say when they put a question to a council.
var stopWords = passage.WordSet(`a about above after again all also am an and any are as at be because been before being below between both but by
can cannot could did do does doing done down during each else ever every few for from further get gets got had has have having he
her here hers him his how however i if in into is it its itself just let lets like made make makes many may me might more most much
must my need needs no nor not now of off on once one only onto or other our ours out over own per please put rather same shall she
should since so some such than that the their theirs them then there these they this those through to too under until up upon us
use used uses using very was we were what when where whether which while who whom whose why will with within without would yes yet
you your yours whole thing things way ways well still even new two three first second third next
council decide decided decision consider review discuss question answer opinion topic write document`)
