package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Signs in an encoded text, which hostile.Terminal removes from others.
const (
	overlap  = "\x1f" // repeats the character before it: between two pairs of a run
	boundary = "\x1e" // separates a word from a run
	markFrom = "\x02" // begins a match in a snippet
	markTo   = "\x03"
)

// unspaced are the scripts that put no spaces between words. Korean has spaces, but writes particles on to its words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	unicode.Javanese, unicode.Balinese}

// fold and unfold replace letters by those that people type for them, and back. The tokenizer drops the combining
// marks, which no language uses with these letters.
var fold, unfold = func() (*strings.Replacer, *strings.Replacer) {
	pairs := []string{"ß", "ss\u032e", "ẞ", "SS\u032e", "ı", "i\u032e", "²", "2\u032e", "³", "3\u032e", "ﬀ", "ff\u032e",
		"ﬁ", "fi\u032e", "ﬂ", "fl\u032e", "ﬃ", "ffi\u032e", "ﬄ", "ffl\u032e", "أ", "ا\u032e", "إ", "ا\u032d", "آ", "ا\u0330",
		"ؤ", "و\u032e", "ئ", "ي\u032e"}
	back := slices.Clone(pairs)
	slices.Reverse(back)
	return strings.NewReplacer(pairs...), strings.NewReplacer(back...)
}()

// encode returns a text in the form that FTS5 indexes: without terminal controls, with equal spellings of letters, and
// in scripts without spaces with every two neighbouring characters as a word.
func encode(text string) string {
	text = hostile.Terminal(text)
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	var b strings.Builder
	var last rune // the last letter, digit or sign, without marks
	solid := false
	for _, r := range fold.Replace(norm.NFC.String(strings.Map(narrow, text))) {
		isMark, wasSolid := unicode.IsMark(r), solid
		if isMark && r > '\u036f' && unicode.In(last, unicode.Hebrew, unicode.Arabic) {
			continue // a vowel, which is rarely written
		}
		solid = unicode.In(r, unspaced...) || r == 'ー' || isMark && solid
		switch {
		case solid && wasSolid:
			b.WriteString(string(r) + overlap)
		case solid != wasSolid && !isMark && isWord(r) && isWord(last):
			b.WriteString(boundary)
		}
		if unicode.Is(unicode.Greek, r) {
			b.WriteString(norm.NFD.String(string(r))) // of Latin letters the tokenizer drops accents itself
		} else {
			b.WriteRune(r)
		}
		if !isMark {
			last = r
		}
	}
	return b.String()
}

// narrow returns the usual form of a letter or digit that is wide or narrow.
func narrow(r rune) rune {
	if usual := width.LookupRune(r).Folded(); usual != 0 && isWord(r) {
		return usual
	}
	return r
}

// decode returns an encoded text for people, on one line, with the places of its marks in bytes.
func decode(text string) (line string, marks [][2]int) {
	var b []byte
	for _, r := range norm.NFC.String(unfold.Replace(text)) {
		switch string(r) {
		case overlap:
			_, size := utf8.DecodeLastRune(b)
			b = b[:len(b)-size]
		case boundary:
		case markFrom:
			if n := len(marks); n == 0 || len(b) > marks[n-1][1] {
				marks = append(marks, [2]int{len(b)})
			}
		case markTo:
			marks[len(marks)-1][1] = len(b)
		case "\n", "\t":
			b = append(b, ' ')
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b), marks
}

func isWord(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.M) }

func words(encoded string) []string {
	return strings.FieldsFunc(encoded, func(r rune) bool { return string(r) != overlap && !isWord(r) })
}

// quote returns a phrase in the language of FTS5. A run at its end may go on in the text.
func quote(words ...string) string {
	text := strings.Join(words, " ")
	if i := strings.LastIndex(text, overlap); i > strings.LastIndexByte(text, ' ') {
		return `"` + text[:i] + `"`
	}
	if len(words) > 0 && isOneCharacter(words[len(words)-1]) {
		return `"` + text + `" *`
	}
	return `"` + text + `"`
}

// isOneCharacter reports whether a word is one character of a script without spaces.
func isOneCharacter(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && unicode.In(r, unspaced...)
}

// Bounds of a query. The rest of a longer one is left out.
const (
	maxQueryBytes = 4096
	maxUnits      = 32
	minPrefix     = 4 // letters of a word that is searched as a prefix
)

// unit is a part of a query: a word, a run of characters without spaces, or quoted words.
type unit struct {
	shown, match string
	isWhole      bool // a word that may be the beginning of longer ones
	docs         int  // how many documents have it: an estimate if it is more than commonDocs
}

// readQuery returns the units of a query, each once, and the phrase of all its words, which is empty for a single word.
// Only quotation marks are operators: they keep words together.
func readQuery(text string) (units []unit, phrase string) {
	parts := strings.Split(strings.Map(straightenQuote, hostile.Head(text, maxQueryBytes)), `"`)
	var all []string
	for i, part := range parts {
		found := words(encode(part))
		all = append(all, found...)
		if i%2 == 1 && i < len(parts)-1 && len(found) > 0 { // between two quotation marks
			units = addUnit(units, unit{shown: strings.TrimSpace(part), match: quote(found...)})
			continue
		}
		for _, word := range found {
			shown, _ := decode(word)
			isWhole := utf8.RuneCountInString(word) >= minPrefix && !strings.Contains(word, overlap)
			units = addUnit(units, unit{shown: shown, match: quote(word), isWhole: isWhole})
		}
	}
	if len(all) > 1 && len(all) <= 2*maxUnits {
		phrase = quote(all...)
	}
	return units, phrase
}

// readTopic returns the units of a text that is not a query: words, and the pairs of a run.
func readTopic(text string) (units []unit) {
	encoded := encode(hostile.Head(text, maxQueryBytes))
	for _, word := range words(strings.ReplaceAll(encoded, overlap, " ")) {
		if !isOneCharacter(word) {
			units = addUnit(units, unit{shown: word, match: quote(word)})
		}
	}
	return units
}

func addUnit(units []unit, u unit) []unit {
	if len(units) >= maxUnits || slices.ContainsFunc(units, func(one unit) bool { return one.match == u.match }) {
		return units
	}
	return append(units, u)
}

// straightenQuote makes the quotation marks of many languages one.
func straightenQuote(r rune) rune {
	if strings.ContainsRune("“”„‟«»「」『』＂", r) {
		return '"'
	}
	return r
}

// Query describes a search. Nothing that a person types is an operator but quotation marks, which keep words together.
type Query struct {
	Text    string
	Limit   int                 // at most this many hits; 0 means 10
	Kinds   []string            // only these: a [Kind], or the kind of a record or a turn; none means all
	Members []council.MemberID  // only words or memories of these; none means all
	Except  []council.SessionID // not from these sessions
	Without []string            // not the documents with these ids
	Since   time.Time           // only from then on; zero means all

	Unrehearsed bool // not from rehearsals
	AllHits     bool // of [Index.Search]: every hit of a session, not only the best
}

const defaultLimit = 10

// Snippet is the best matching passage of a text: on one line and harmless on a terminal.
type Snippet struct {
	Text  string   `json:"text"`
	Marks [][2]int `json:"marks,omitempty"` // the matches in it: from and to, in bytes, in order
}

// Sizes of a snippet.
const (
	snippetWords = 40
	snippetBytes = 480
)

func newSnippet(passage string) (s Snippet) {
	s.Text, s.Marks = decode(strings.TrimSpace(passage))
	if len(s.Text) > snippetBytes {
		s.Text = hostile.Head(s.Text, snippetBytes)
		s.Marks = slices.DeleteFunc(s.Marks, func(m [2]int) bool { return m[1] > len(s.Text) })
	}
	return s
}

// Match is how well a document answers a query.
type Match string

// The matches, best first.
const (
	MatchPhrase Match = "phrase" // all words, one after the other
	MatchAll    Match = "all"    // all words
	MatchSome   Match = "some"   // the rarer ones of the words
)

// Hit is a document that was found.
type Hit struct {
	Doc
	Match   Match    `json:"match"`
	Lacks   []string `json:"lacks,omitempty"` // of MatchSome: words of the query that the document lacks
	Snippet Snippet  `json:"snippet"`
	Instead *Doc     `json:"instead,omitempty"` // of a superseded record: its successor
	// further hits of the session, after the last one that is shown
	More int `json:"more,omitempty"`
}

// Found is the answer to a query.
type Found struct {
	Hits    []Hit
	Asked   []string // the words, runs and phrases that were looked for
	Nowhere []string // those of them in no document
}

// afterSuccessors moves superseded records after their successors, where both were found.
func afterSuccessors(hits []Hit) []Hit {
	for range hits { // records that supersede each other in a ring must not loop forever
		place := map[string]int{}
		for i, h := range hits {
			place[h.ID] = i
		}
		i := slices.IndexFunc(hits, func(h Hit) bool {
			to, found := place[h.SupersededBy]
			return found && to > place[h.ID]
		})
		if i < 0 {
			break
		}
		old := hits[i]
		to := place[old.SupersededBy]
		hits = slices.Insert(slices.Delete(hits, i, i+1), to, old)
	}
	return hits
}

// Bounds of a recollection.
const (
	maxRare    = 8   // specific words that are searched for
	candidates = 10  // sessions of which the best documents are looked at
	near       = 100 // words between two specific ones at most
	goodShare  = 0.5 // of the weight of the topic's words, where a rare word weighs more than a common one
	wordShare  = 0.4 // of their number
	newWord    = 0.5 // weight of a word in no document, of that of a word in one
)

// Recollect searches for earlier texts on a topic: at most council.MaxRecollections documents, each from another
// session, best first; usually none. A document is good enough if it has two fifths of the topic's words and half of
// their weight, and within a hundred words of each other two specific ones, or one if the topic has no other.
// Superseded records are left out.
func (ix *Index) Recollect(ctx context.Context, topic string, q Query) (hits []Hit, err error) {
	s := &search{q: q, units: readTopic(topic)}
	err = ix.answer(ctx, s, func() { hits = s.recollect() })
	return hits, err
}

// weight returns the weight of a unit: the rarer, the more.
func (s *search) weight(u unit) float64 {
	w := math.Log(1 + (s.size+1)/(float64(u.docs)+0.5))
	if u.docs == 0 {
		return newWord * w
	}
	return w
}

func (s *search) recollect() (hits []Hit) {
	// A specific word is in one document of fifty at most; in more where there are few documents, because a session on a
	// subject repeats its word.
	mostDocs := min(commonDocs, int(max(s.size/50, min(200, s.size/5), 3)))
	total, tells := 0.0, 0
	var rare []unit // specific ones that some document has
	for _, u := range s.units {
		total += s.weight(u)
		if u.docs <= mostDocs {
			if tells++; u.docs > 0 {
				rare = append(rare, u)
			}
		}
	}
	if needed := min(2, tells); needed == 0 || len(rare) < needed {
		return nil
	}
	slices.SortStableFunc(rare, func(a, b unit) int { return a.docs - b.docs })
	var any, both []string
	for i, u := range rare[:min(len(rare), maxRare)] {
		any = append(any, u.match)
		for _, v := range rare[:i] {
			both = append(both, fmt.Sprintf("NEAR(%s %s, %d)", v.match, u.match, near))
		}
	}
	if tells == 1 {
		both = any
	}
	found := s.matches(strings.Join(any, " OR "), 0, true)
	found = slices.DeleteFunc(found, func(m match) bool { return m.signs&isSuperseded != 0 })
	groups := s.groupBySession(found)
	found = nil
	var docs []int64
	for _, g := range groups[:min(len(groups), candidates)] {
		for _, m := range g.matches[:min(len(g.matches), bestDocs)] {
			found, docs = append(found, m), append(docs, m.n)
		}
	}
	good := s.matchesAmong(strings.Join(both, " OR "), docs)
	weight, words := map[int64]float64{}, map[int64]int{}
	for _, u := range s.units {
		for n := range s.matchesAmong(u.match, docs) {
			weight[n] += s.weight(u)
			words[n]++
		}
	}
	found = slices.DeleteFunc(found, func(m match) bool {
		return !good[m.n] || weight[m.n] < goodShare*total || float64(words[m.n]) < wordShare*float64(len(s.units))
	})
	for i, m := range found {
		found[i].rank = weight[m.n]
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.rank, a.rank) })
	groups = s.groupBySession(found)
	for _, g := range groups[:min(len(groups), council.MaxRecollections)] {
		h := s.readHit(g.best.n, strings.Join(any, " OR "))
		h.Match = MatchSome
		hits = append(hits, h)
	}
	return hits
}
