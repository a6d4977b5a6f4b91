package expunge

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Phrases are words to be found and erased, wherever they stand and in whichever of the forms that a record gives them:
// as they were said, cleaned as prompts and pages carry them, escaped as in JSON. Case matters.
type Phrases struct {
	exact []string // longest first
	loose []string // the letters and digits alone
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
	slices.SortFunc(p.exact, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	p.exact = slices.Compact(p.exact)
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

// cut puts the mark in the place of every phrase that stands in the text as it is. What is marked already stays, though
// the mark has letters of its own.
func (p *Phrases) cut(text string) string {
	parts := strings.Split(text, council.ForgottenMark)
	for _, w := range p.exact {
		var next []string
		for _, part := range parts {
			next = append(next, strings.Split(part, w)...)
		}
		parts = next
	}
	return strings.Join(parts, council.ForgottenMark)
}

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
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, r := range hostile.Clean(text) {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// escaped returns a text as it stands between the quotes of a JSON string.
func escaped(text string) string {
	quoted, err := wire.JSON(text)
	if err != nil || len(quoted) < 2 {
		return text
	}
	return string(quoted[1 : len(quoted)-1])
}

// unescaped undoes the escapes of JSON wherever one stands, in a text that need not be JSON.
func unescaped(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		n := 2
		if text[i+1] == 'u' {
			n = 6
			if i+12 <= len(text) && text[i+6] == '\\' && text[i+7] == 'u' { // a pair of surrogates
				n = 12
			}
		}
		var s string
		for ; n > 0; n -= 6 {
			if i+n <= len(text) && json.Unmarshal([]byte(`"`+text[i:i+n]+`"`), &s) == nil &&
				(n < 12 || utf8.RuneCountInString(s) == 1) {
				break
			}
		}
		if n <= 0 {
			b.WriteByte(text[i])
			continue
		}
		b.WriteString(s)
		i += n - 1
	}
	return b.String()
}
