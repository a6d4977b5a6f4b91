package expunge

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Phrases are words to be found in whichever form a record gives them: as they were said, cleaned as in prompts and
// pages, escaped as in JSON. Case matters.
type Phrases struct {
	exact   []string
	letters []string // the letters and digits alone
}

// minLetters is the least number of bytes by which letters and digits alone are searched.
const minLetters = 4

// NewPhrases returns phrases for words that are not blank.
func NewPhrases(words ...string) *Phrases {
	p := &Phrases{}
	for _, w := range words {
		w = strings.TrimSpace(w)
		p.exact = append(p.exact, w, hostile.Clean(w), hostile.Line(w))
		// The letters of a phrase that is mostly signs, such as C++, are in every other word.
		if f := fold(w); len(f) >= minLetters && 2*len(f) >= len(w) {
			p.letters = append(p.letters, f)
		}
	}
	p.exact = slices.DeleteFunc(p.exact, func(s string) bool { return strings.TrimSpace(s) == "" })
	return p
}

// Hold reports whether one of the phrases is in the text, in whatever form.
func (p *Phrases) Hold(text string) bool {
	if len(p.exact) == 0 {
		return false
	}
	for range 3 { // JSON within JSON within JSON
		for part := range strings.SplitSeq(text, council.ForgottenMark) {
			if containsAny(part, p.exact) || len(p.letters) > 0 && containsAny(fold(part), p.letters) {
				return true
			}
		}
		if !strings.Contains(text, `\`) {
			return false
		}
		text = unescape(text)
	}
	return false
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// fold returns a text by its letters and digits: one space takes the place of all between them.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(hostile.Clean(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r)
	}), " ")
}

var escape = regexp.MustCompile(
	`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])`)

func unescape(text string) string {
	return escape.ReplaceAllStringFunc(text, func(sequence string) (s string) {
		if json.Unmarshal([]byte(`"`+sequence+`"`), &s) != nil {
			return sequence
		}
		return s
	})
}
