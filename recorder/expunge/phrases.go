package expunge

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Phrases are words to be found and erased, wherever they stand and in whichever of the forms that a record gives them:
// as they were said, cleaned as prompts and pages carry them, escaped as in JSON. Case matters.
type Phrases struct {
	exact []string // longest first
	loose []string // the letters and digits alone
	marks *strings.Replacer
}

// NewPhrases returns phrases for words that have more to them than space.
func NewPhrases(words ...string) *Phrases {
	p := &Phrases{}
	for _, w := range words {
		if strings.TrimSpace(w) == "" {
			continue
		}
		for _, form := range []string{w, strings.TrimSpace(w), hostile.Clean(w), hostile.Line(w)} {
			p.exact = append(p.exact, form, escaped(form))
		}
		// What is mostly signs, such as C++, is found as it stands or not at all: its letters are in every other word.
		if f := fold(w); len(f) >= minLoose && 2*len(f) >= len(strings.TrimSpace(w)) {
			p.loose = append(p.loose, f)
		}
	}
	p.exact = slices.DeleteFunc(p.exact, func(s string) bool { return strings.TrimSpace(s) == "" })
	slices.SortFunc(p.exact, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	p.exact = slices.Compact(p.exact)
	// What is marked already stays, though the mark has letters of its own.
	pairs := []string{council.ForgottenMark, council.ForgottenMark}
	for _, w := range p.exact {
		pairs = append(pairs, w, council.ForgottenMark)
	}
	p.marks = strings.NewReplacer(pairs...)
	return p
}

// minLoose is the least number of bytes by which letters and digits alone are searched.
const minLoose = 4

// Erase returns a text without the phrases. Where one stands in a form that cannot be cut out, or where what is left
// would be longer than the text was, nothing is left but the mark.
func (p *Phrases) Erase(text string) string {
	out := p.cut(text)
	if p.Hold(out) || len(out) > max(len(text), brief) {
		return council.ForgottenMark
	}
	return out
}

// cut puts the mark in the place of every phrase that stands in the text as it is.
func (p *Phrases) cut(text string) string { return p.marks.Replace(text) }

// brief is the length in bytes up to which a text may grow by the marks in it: no text is bounded below that.
const brief = 200

// Hold reports whether one of the phrases stands in the text, in whatever form.
func (p *Phrases) Hold(text string) bool {
	for range 3 { // JSON within JSON within JSON
		for part := range strings.SplitSeq(text, council.ForgottenMark) {
			if slices.ContainsFunc(p.exact, func(w string) bool { return strings.Contains(part, w) }) {
				return true
			}
			if len(p.loose) == 0 {
				continue
			}
			letters := fold(part)
			if slices.ContainsFunc(p.loose, func(w string) bool { return strings.Contains(letters, w) }) {
				return true
			}
		}
		if !strings.Contains(text, `\`) {
			return false
		}
		text = unescaped(text)
	}
	return false
}

// fold returns a text by its letters and digits: what stands between them is one space.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(hostile.Clean(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r)
	}), " ")
}

// escaped returns a text as it stands between the quotes of a JSON string.
func escaped(text string) string {
	quoted, err := wire.JSON(text)
	if err != nil || len(quoted) < 2 {
		return text
	}
	return string(quoted[1 : len(quoted)-1])
}

// escape matches the escapes of JSON.
var escape = regexp.MustCompile(
	`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])`)

// unescaped undoes the escapes of JSON wherever one stands, in a text that need not be JSON.
func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(sequence string) (s string) {
		if json.Unmarshal([]byte(`"`+sequence+`"`), &s) != nil {
			return sequence
		}
		return s
	})
}
