// Package terms cuts texts and queries into what a full-text index looks up: words without case and accents, and for
// writing without spaces between words every two characters that stand side by side. It is its own package because it
// knows no database: the index, its only importer, could be kept elsewhere and its terms would be the same.
package terms

import (
	"iter"
	"slices"
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
	return !t.Solid && len(t.Term) >= 6 && len(t.Term) <= 80 && !strings.ContainsFunc(t.Term, unicode.IsNumber)
}

// Bounds of a query. What goes beyond them is left out.
const (
	maxQueryBytes = 4096
	maxUnits      = 32
)

// Unit is one thing that is looked for: a word, a run of characters without spaces, or words that were quoted.
type Unit struct {
	Shown  string // as it was typed
	Terms  []string
	Prefix bool // ends in a single character of a run: any term that begins with it
	Solid  bool // ends in a run
	Quoted bool
}

// Match returns the unit in the language of FTS5. Terms have no quotation marks in them, so nothing of a query is an
// operator.
func (u Unit) Match() string {
	m := `"` + strings.Join(u.Terms, " ") + `"`
	if u.Prefix {
		m += " *"
	}
	return m
}

// Whole reports whether the unit is one word that may stand within a longer one.
func (u Unit) Whole() bool {
	return len(u.Terms) == 1 && !u.Solid && !u.Quoted && utf8.RuneCountInString(u.Terms[0]) >= 4
}

// Stem returns a word without what may be its ending: a third of it, at most three characters. Five are left.
func Stem(word string) string {
	r := []rune(word)
	return string(r[:max(min(5, len(r)), len(r)-min(3, len(r)/3))])
}

// Query is a query that was read.
type Query struct {
	Units  []Unit // each once
	Phrase Unit   // all of it in order; without terms if that would say nothing more
}

// Read reads what a person typed. Nothing in it is an operator but quotation marks, which keep words together.
func Read(text string) Query {
	text = strings.Map(straight, hostile.Head(text, maxQueryBytes))
	parts := strings.Split(text, `"`)
	var q Query
	for i, part := range parts {
		if i%2 == 1 && i < len(parts)-1 { // between two quotation marks
			q.add(quoted(part))
			continue
		}
		for _, u := range Units(part) {
			q.add(u)
		}
	}
	if all := quoted(strings.Join(parts, " ")); len(q.Units) > 1 && len(all.Terms) <= 2*maxUnits {
		q.Phrase = all
	}
	return q
}

// Plain reads a text that was not typed as a query: its quotation marks mean nothing, it has no phrase, and of a run
// every two characters are looked for by themselves.
func Plain(text string) Query {
	var q Query
	text = hostile.Head(text, maxQueryBytes)
	for t := range Of(text) {
		if !t.Last {
			q.add(Unit{Shown: text[t.Start:t.End], Terms: []string{t.Term}, Solid: t.Solid})
		}
	}
	return q
}

// straight makes the quotation marks of many languages one.
func straight(r rune) rune {
	if strings.ContainsRune("“”„‟«»「」『』＂", r) {
		return '"'
	}
	return r
}

func (q *Query) add(u Unit) {
	had := slices.ContainsFunc(q.Units, func(one Unit) bool { return one.Match() == u.Match() })
	if len(u.Terms) > 0 && len(q.Units) < maxUnits && !had {
		q.Units = append(q.Units, u)
	}
}

// Units returns the words and runs of a text that was not quoted.
func Units(text string) []Unit {
	var all []Unit
	var current Unit
	begin := 0
	for t := range Of(text) {
		if !t.Solid {
			all = append(all, Unit{Shown: text[t.Start:t.End], Terms: []string{t.Term}})
			continue
		}
		if len(current.Terms) == 0 {
			begin = t.Start
		}
		if !t.Last {
			current.Terms = append(current.Terms, t.Term)
			continue
		}
		if len(current.Terms) == 0 {
			current = Unit{Terms: []string{t.Term}, Prefix: true}
		}
		current.Shown, current.Solid = text[begin:t.End], true
		all = append(all, current)
		current = Unit{}
	}
	return all
}

// quoted returns a text as one unit. A run at its end may go on in what is found, one before its end may not.
func quoted(text string) Unit {
	u := Unit{Quoted: true}
	var end Token
	for t := range Of(text) {
		u.Terms = append(u.Terms, t.Term)
		end = t
	}
	if len(u.Terms) == 0 {
		return u
	}
	u.Shown = strings.TrimSpace(text)
	u.Solid = end.Solid
	if end.Last {
		if len(u.Terms) > 1 && continues(u.Terms[len(u.Terms)-2], end.Term) {
			u.Terms = u.Terms[:len(u.Terms)-1]
		} else {
			u.Prefix = true
		}
	}
	return u
}

// continues reports whether last is the end of a run that pair belongs to.
func continues(pair, last string) bool {
	_, n := utf8.DecodeRuneInString(pair)
	return pair[n:] == last
}

// In lists where the unit, or one of the words it stands within, begins in a text.
func (u Unit) In(text []Token, longer map[string]bool) []int {
	var at []int
	for i := range text {
		if u.begins(text[i:]) || longer[text[i].Term] {
			at = append(at, i)
		}
	}
	return at
}

func (u Unit) begins(text []Token) bool {
	if len(text) < len(u.Terms) {
		return false
	}
	for i, term := range u.Terms {
		has := text[i].Term
		if has != term && (!u.Prefix || i < len(u.Terms)-1 || !strings.HasPrefix(has, term)) {
			return false
		}
	}
	return true
}
