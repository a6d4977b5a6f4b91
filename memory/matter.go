package memory

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// The part of the longer text that the shorter one must have.
const (
	samePart = 0.4  // of two topics
	saysPart = 0.75 // of two statements
)

// normalizedText is a text prepared for comparison. The zero value equals nothing, itself included.
type normalizedText struct {
	words   []word // the words with a meaning, in order; all words when none has
	run     []rune // the text in scripts without spaces
	negated int    // the number of negations
	plain   string // the whole text, in one case and without punctuation
}

type word struct {
	text  string // case folded
	name  bool   // it has a capital or a digit: both texts must have it
	exact bool   // it has a digit, or capitals within: no other endings
}

func normalize(text string) normalizedText {
	var m normalizedText
	var all []word
	var plain []string
	fold := caseFolder(text)
	for _, token := range tokens(text) {
		if r, _ := utf8.DecodeRuneInString(token); isUnspaced(r) {
			m.run = append(m.run, []rune(token)...)
			plain = append(plain, token)
			continue
		}
		w := newWord(token, fold)
		plain = append(plain, w.text)
		switch {
		case negations[w.text]:
			m.negated++
		case !functionWords[w.text]:
			m.words = append(m.words, w)
		}
		all = append(all, w)
	}
	m.plain = strings.Join(plain, " ")
	for no := range runNegations {
		m.negated += strings.Count(string(m.run), no)
	}
	if len(m.words) == 0 && len(m.run) == 0 {
		m.words = all
	}
	return m
}

// Same reports whether two texts, questions or titles, have the same matter: one has all words of the other and few
// more, none of which is a name or a number. Negations do not count.
func (m normalizedText) Same(o normalizedText) bool {
	return m.plain != "" && (m.plain == o.plain || m.isPartOf(o, samePart, hasAll) || o.isPartOf(m, samePart, hasAll))
}

// Says reports whether two texts state the same: as Same, with the words in the same order, fewer additions,
// and as many negations.
func (m normalizedText) Says(o normalizedText) bool {
	if m.plain == "" || m.negated != o.negated {
		return false
	}
	return m.plain == o.plain || m.isPartOf(o, saysPart, hasAllInOrder) || o.isPartOf(m, saysPart, hasAllInOrder)
}

// Equal reports whether two texts differ in case and punctuation at most.
func (m normalizedText) Equal(o normalizedText) bool { return m.plain != "" && m.plain == o.plain }

// isPartOf reports whether o has all that m has, and m is at least the given part of it.
func (m normalizedText) isPartOf(o normalizedText, share float64, holds func(part, whole []word) bool) bool {
	if float64(len(m.words)) < share*float64(len(o.words)) || float64(len(m.run)) < share*float64(len(o.run)) {
		return false
	}
	for _, w := range o.words {
		if w.name && !slices.ContainsFunc(m.words, w.isAkin) {
			return false
		}
	}
	// In a run nothing shows where words end, so the order of its characters counts.
	return holds(m.words, o.words) && isInOrder(m.run, o.run, func(a, b rune) bool { return a == b })
}

func hasAll(part, whole []word) bool {
	return !slices.ContainsFunc(part, func(w word) bool { return !slices.ContainsFunc(whole, w.isAkin) })
}

func hasAllInOrder(part, whole []word) bool { return isInOrder(part, whole, word.isAkin) }

func isInOrder[T any](part, whole []T, akin func(a, b T) bool) bool {
	for _, x := range whole {
		if len(part) > 0 && akin(part[0], x) {
			part = part[1:]
		}
	}
	return len(part) == 0
}

func newWord(token string, fold func(string) string) word {
	w := word{text: fold(token)}
	for i, r := range token {
		if unicode.IsUpper(r) || unicode.IsNumber(r) {
			w.name = true
			w.exact = w.exact || i > 0 || unicode.IsNumber(r)
		}
	}
	return w
}

func (w word) isAkin(o word) bool {
	if w.text == o.text {
		return true
	}
	const stem, ending = 4, 2 // characters at least, and at most
	if w.exact || o.exact {
		return false
	}
	short, long := w.text, o.text
	if len(short) > len(long) {
		short, long = long, short
	}
	rest, ok := strings.CutPrefix(long, short)
	return ok && utf8.RuneCountInString(short) >= stem && utf8.RuneCountInString(rest) <= ending
}

func caseFolder(text string) func(string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		caser := cases.Fold() // not safe for concurrent use
		return caser.String
	}
	return strings.ToLower
}

// tokens lists the words of a text and its runs without spaces, in order. It drops hyphens and apostrophes within words
// and keeps points and commas between digits.
func tokens(text string) (all []string) {
	var token []rune
	flush := func() {
		if len(token) > 0 {
			all, token = append(all, string(token)), token[:0]
		}
	}
	inRun, last := false, rune(0)
	runes := []rune(norm.NFKC.String(text))
	for i, r := range runes {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case isUnspaced(r) || unicode.In(r, unicode.L, unicode.N, unicode.M):
			if run := isUnspaced(r); run != inRun && !unicode.Is(unicode.M, r) {
				flush()
				inRun = run
			}
			token = append(token, r)
		case strings.ContainsRune("-\u2010\u2011'\u2019\u00ad", r) && unicode.IsLetter(last) && unicode.IsLetter(next):
		case (r == '.' || r == ',') && unicode.IsDigit(last) && unicode.IsDigit(next):
			token = append(token, r)
		default:
			flush()
		}
		last = r
	}
	flush()
	return all
}

func isUnspaced(r rune) bool {
	return r >= 0xe00 && unicode.In(r, unicode.Thai, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Lao,
		unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

//go:embed words.txt
var wordLists string

// The lists of words.txt, which describes them.
var (
	listed                     = readWords(wordLists)
	functionWords, commonplace = listed["functions:"], listed["commonplace:"]
	negations, runNegations    = listed["negations:"], listed["run-negations:"]
)

// readWords returns lists of words by their names, which end in a colon.
func readWords(lists string) map[string]map[string]bool {
	all, list := map[string]map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(lists) {
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasSuffix(line, ":\n"):
			list = map[string]bool{}
			all[strings.TrimSpace(line)] = list
		default:
			for w := range strings.FieldsSeq(line) {
				list[w] = true
			}
		}
	}
	return all
}

// Bounds of texts within other texts, in characters.
const (
	maxTopic = 140
	maxQuote = 90
	maxName  = 60
)

// plainText returns a text on one line without invisible characters and the marks that begin a line of Markdown. It is
// empty when the text was erased.
func plainText(s string) string {
	if strings.TrimSpace(s) == council.ForgottenMark {
		return ""
	}
	var words []string
	heading := false
	for line := range strings.Lines(hostile.Clean(s)) {
		fields := strings.Fields(trimMarks(line))
		if heading && len(fields) > 0 {
			words[len(words)-1] = endSentence(words[len(words)-1])
			heading = false
		}
		words = append(words, fields...)
		heading = heading || len(fields) > 0 && strings.HasPrefix(strings.TrimSpace(line), "#")
	}
	return strings.Join(words, " ")
}

func trimMarks(line string) string {
	for {
		line = strings.TrimSpace(line)
		rest := strings.TrimLeft(line, "#>")
		if rest == line {
			mark, after, _ := strings.Cut(line, " ")
			if mark != "-" && mark != "*" && mark != "+" {
				return line
			}
			rest = after
		}
		line = rest
	}
}

// shorten shortens a text to at most n characters with an ellipsis, between words where one ends near.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	kept := []rune(s)[:n] // one more than fits before the ellipsis, to see whether a word ends there
	end := n - 1
	for i := n - 1; i > n-1-min(n/2, 40); i-- {
		if unicode.IsSpace(kept[i]) {
			end = i
			break
		}
	}
	for end > 0 && unicode.Is(unicode.M, kept[end]) { // a mark belongs to the letter before it
		end--
	}
	return hostile.Line(strings.TrimRightFunc(string(kept[:end]), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:—–-", r)
	})) + "…"
}

func clip(s string, n int) string { return shorten(plainText(s), n) }

func quote(s string) string { return "“" + clip(s, maxQuote) + "”" }

func firstLine(s string) string {
	for line := range strings.Lines(hostile.Clean(s)) {
		if line = clip(line, maxTopic); line != "" {
			return line
		}
	}
	return ""
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

// withLabel returns "label: text", or nothing without a text.
func withLabel(label, text string) string {
	if text = plainText(text); text == "" {
		return ""
	}
	return endSentence(label + ": " + text)
}

// endSentence returns a text with a full stop, unless it ends otherwise.
func endSentence(s string) string {
	if last, _ := utf8.DecodeLastRuneInString(s); s == "" || strings.ContainsRune(".!?…。！？”", last) {
		return s
	}
	return s + "."
}
