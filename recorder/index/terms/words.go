// Package terms cuts texts and queries into what a full-text index looks up: words without case and accents, and for
// writing without spaces between words every two characters that stand side by side. It is its own package because it
// knows no database: the index, its only importer, could be kept elsewhere and its terms would be the same.
package terms

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/council-engine/council/internal/hostile"
)

// maxTerm is how many bytes of a word count. What is longer is no word, and differs in its beginning.
const maxTerm = 120

// Token is a term and where it stands in its text, in bytes. Of a run without spaces every two characters are a token,
// and the last one by itself, so that a single character can be looked up too.
type Token struct {
	Term       string // of letters, digits and marks only
	Start, End int
	Solid      bool // of a script without spaces between words
	Last       bool // the last character of such a run, by itself
}

// noSpaces are the scripts whose words do not stand apart. Korean has spaces, but what belongs to a word is written on
// to it.
var noSpaces = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese,
}

// marked are the scripts in which words are searched for without their marks.
var marked = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Hebrew, unicode.Arabic}

type class int

const (
	between class = iota
	spaced
	solid
	mark // belongs to what is before it
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return spaced
		}
		return between
	case r == 'ー' || r == 'ｰ': // the long vowel of Japanese is of no script
		return solid
	case unicode.IsMark(r), r == 'ﾞ', r == 'ﾟ': // the voiced marks of narrow Katakana become marks
		return mark
	case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return between
	case unicode.In(r, noSpaces...):
		return solid
	}
	return spaced
}

// Of returns the terms of a text in their order.
func Of(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		begin, within := 0, between
		for i, r := range text {
			is := classOf(r)
			if is == mark {
				is = within
			}
			if is == within {
				continue
			}
			if within != between && !run(text, begin, i, within, yield) {
				return
			}
			begin, within = i, is
		}
		if within != between {
			run(text, begin, len(text), within, yield)
		}
	}
}

// run yields the tokens of a word, or of a stretch without spaces.
func run(text string, begin, end int, is class, yield func(Token) bool) bool {
	if is == spaced {
		term := fold(text[begin:end])
		return term == "" || yield(Token{Term: term, Start: begin, End: end})
	}
	plain := norm.NFKC.String(text[begin:end])
	exact := plain == text[begin:end] // else a token stands for the whole run
	at := func(i int) int {
		if exact {
			return begin + i
		}
		return begin
	}
	for i, r := range plain {
		mid := i + utf8.RuneLen(r) // NFKC has made it valid
		if mid >= len(plain) {
			return yield(Token{Term: plain[i:], Start: at(i), End: end, Solid: true, Last: true})
		}
		_, n := utf8.DecodeRuneInString(plain[mid:])
		to := end
		if exact {
			to = begin + mid + n
		}
		if !yield(Token{Term: plain[i : mid+n], Start: at(i), End: to, Solid: true}) {
			return false
		}
	}
	return true
}

// fold spells a word without case, accents and typographic forms. Folding again changes nothing.
func fold(word string) string {
	if ascii(word) {
		word = strings.ToLower(word)
	} else {
		word = foldMarks(word)
	}
	return hostile.Head(word, maxTerm)
}

func foldMarks(word string) string {
	var b strings.Builder
	unmark := false
	for _, r := range norm.NFKD.String(strings.ToLower(word)) {
		switch {
		case unicode.Is(unicode.Mn, r):
			if unmark {
				continue
			}
		case classOf(r) != spaced && !unicode.IsMark(r): // some letters come apart into others and signs
			continue
		default:
			unmark = unicode.In(r, marked...)
		}
		switch r {
		case 'ß':
			b.WriteString("ss")
		case 'ı':
			b.WriteByte('i')
		case 'ς':
			b.WriteRune('σ')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(b.String())
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Compound reports whether a term can have another word within it: it goes into the vocabulary.
func (t Token) Compound() bool {
	if t.Solid || len(t.Term) < 6 || len(t.Term) > 80 {
		return false
	}
	for _, r := range t.Term {
		if unicode.IsNumber(r) {
			return false
		}
	}
	return true
}
