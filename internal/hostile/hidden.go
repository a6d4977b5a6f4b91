package hostile

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// PrivateUse is the kind of characters without a standard meaning, such as icons of a font. [Expose] keeps them.
const PrivateUse = "private-use"

// Expose removes hidden characters, and counts them by kind. A character is hidden if a reader does not see it
// and no writing system needs it there: joiners of emoji, Arabic and Indic letters, marks of direction on a line with
// right-to-left letters, zero-width spaces of Thai, selectors of emoji and ideographs, and soft hyphens within words
// are not. Private-use characters are counted, and stay. The number of lines stays.
func Expose(s string) (string, map[string]int) {
	if isPlain(s) {
		return s, nil
	}
	n := map[string]int{}
	t := inspection{text: []rune(s), to: -1}
	shown := make([]rune, 0, len(t.text))
	for i, r := range t.text {
		kind := t.hiddenKind(i)
		if kind != "" {
			n[kind]++
		}
		if kind == "" || kind == PrivateUse {
			shown = append(shown, r)
		}
	}
	if len(shown) < len(t.text) {
		s = string(shown)
	}
	return s, n
}

// inspection is a text whose characters are judged by their neighbours and their line.
type inspection struct {
	text     []rune
	to       int  // the end of the line of which the following is known
	leftward bool // it has a letter that runs from right to left
	balanced bool // every turn of direction on it is taken back on it
	braille  bool // it has a Braille pattern with dots
}

// at returns the character at i, or 0 beyond the ends.
func (t *inspection) at(i int) rune {
	if i < 0 || i >= len(t.text) {
		return 0
	}
	return t.text[i]
}

// hasNeighbour reports whether a neighbour of the character at i is of one of the scripts.
func (t *inspection) hasNeighbour(i int, scripts ...*unicode.RangeTable) bool {
	return unicode.In(t.at(i-1), scripts...) || unicode.In(t.at(i+1), scripts...)
}

// hiddenKind returns the kind of the hidden character at i, or "".
func (t *inspection) hiddenKind(i int) string {
	switch r := t.text[i]; {
	case strings.ContainsRune("\t\n\v\f\r\u2028\u2029", r), r == '\ufeff' && i == 0:
		return ""
	case unicode.Is(unicode.Cc, r):
		return "control"
	case r == '\u00ad':
		return kindUnless(unicode.IsLetter(t.at(i-1)) && unicode.IsLetter(t.at(i+1)), "soft-hyphen")
	case r == '\u200c' || r == '\u200d':
		return kindUnless(t.isJoint(i), "zero-width")
	case r == '\u200b':
		return kindUnless(t.hasNeighbour(i, spacelessScripts...), "zero-width")
	case r == '\u180e':
		return kindUnless(t.hasNeighbour(i, unicode.Mongolian), "zero-width")
	case r == '\u034f':
		return kindUnless(t.hasNeighbour(i, unicode.M), "zero-width")
	case r >= '\u2060' && r <= '\u2064' || r == '\ufeff':
		return "zero-width"
	case unicode.Is(unicode.Bidi_Control, r):
		t.scanLine(i) // a mark of direction needs no closing one
		return kindUnless(t.leftward && (t.balanced || strings.ContainsRune("\u200e\u200f\u061c", r)),
			"bidirectional-control")
	case isSelector(r):
		return kindUnless(hasVariant(t.at(i-1), r), "variation-selector")
	case r >= 0xe0000 && r <= 0xe0fff:
		return kindUnless(t.isFlag(i), "tag")
	case r == '\u115f' || r == '\u1160':
		return kindUnless(isJamo(t.at(i-1)) || isJamo(t.at(i+1)), "filler")
	case r == '\u2800':
		t.scanLine(i)
		return kindUnless(t.braille, "filler")
	case strings.ContainsRune("\u3164\uffa0\u17b4\u17b5", r):
		return "filler"
	case unicode.Is(unicode.Co, r):
		return PrivateUse
	case isInvisible(r):
		return kindUnless(t.hasNeighbour(i, unicode.Egyptian_Hieroglyphs, unicode.Duployan), "format")
	}
	return ""
}

func kindUnless(normal bool, kind string) string {
	if normal {
		return ""
	}
	return kind
}

// isJoint reports whether the joiner at i changes the appearance: at a letter of a joining script, or in an emoji.
func (t *inspection) isJoint(i int) bool {
	before, after := t.at(i-1), t.at(i+1)
	if before == '\u200d' && t.text[i] == '\u200c' { // so Malayalam ends a letter within a word
		return unicode.In(t.at(i-2), joiningScripts...) && unicode.In(after, joiningScripts...)
	}
	if before == '\u200c' || before == '\u200d' {
		return false
	}
	emoji := unicode.In(before, unicode.So, unicode.Sk) || before == '\ufe0f'
	return t.hasNeighbour(i, joiningScripts...) || t.text[i] == '\u200d' && emoji &&
		unicode.In(after, unicode.So, unicode.Sm)
}

// flags are the flags of England, Scotland and Wales: a black flag, five letters, and the end.
var flags = []string{"\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
	"\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
	"\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"}

// isFlag reports whether the tag at i is part of a flag.
func (t *inspection) isFlag(i int) bool {
	near := string(t.text[max(0, i-6):min(len(t.text), i+7)])
	return slices.ContainsFunc(flags, func(flag string) bool { return strings.Contains(near, flag) })
}

func (t *inspection) scanLine(i int) {
	if i < t.to {
		return
	}
	t.leftward, t.balanced, t.braille = false, true, false
	for t.to = i; t.to > 0 && t.text[t.to-1] != '\n'; {
		t.to--
	}
	embedded, isolated := 0, 0
	for t.to < len(t.text) && t.text[t.to] != '\n' {
		switch r := t.text[t.to]; {
		case r == '\u202c':
			embedded--
		case r == '\u202d' || r == '\u202e': // overrides are never needed, nor are their ends
			t.balanced = false
		case r >= '\u202a' && r <= '\u202e':
			embedded++
		case r == '\u2069':
			isolated--
		case r >= '\u2066' && r <= '\u2068':
			isolated++
		case r > '\u2800' && r <= '\u28ff':
			t.braille = true
		case unicode.In(r, leftwardScripts...) && unicode.IsLetter(r):
			t.leftward = true
		}
		t.balanced = t.balanced && embedded >= 0 && isolated >= 0
		t.to++
	}
	t.balanced = t.balanced && embedded == 0 && isolated == 0
}

var (
	// leftwardScripts are the living scripts that run from right to left.
	leftwardScripts = scripts("Arabic Hebrew Syriac Thaana Nko Adlam Hanifi_Rohingya Samaritan Mandaic")
	// spacelessScripts are the scripts that mark the ends of words by a zero-width space.
	spacelessScripts = scripts(
		"Thai Lao Khmer Myanmar Tibetan Javanese Balinese Tai_Tham Tai_Le New_Tai_Lue Tai_Viet Cham")
	// joiningScripts are the scripts in which a joiner changes the form of a letter.
	joiningScripts = scripts(`Arabic Hebrew Syriac Nko Adlam Hanifi_Rohingya Mandaic Mongolian Phags_Pa Manichaean
		Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Myanmar Khmer Tibetan Thai
		Lao Balinese Javanese Sundanese Meetei_Mayek Limbu Lepcha Tai_Tham Cham Kaithi Grantha Newa Tirhuta Modi
		Sharada Takri Chakma Brahmi Saurashtra Syloti_Nagri Batak Buginese`)
)

func scripts(names string) (all []*unicode.RangeTable) {
	for name := range strings.FieldsSeq(names) {
		all = append(all, unicode.Scripts[name])
	}
	return all
}

// isJamo reports whether r is a part of a Hangul syllable, where fillers replace missing parts.
func isJamo(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97f || r >= 0xd7b0 && r <= 0xd7ff
}

// hasVariant reports whether r has another form for the selector.
func hasVariant(r, selector rune) bool {
	switch {
	case selector == '\ufe0e' || selector == '\ufe0f':
		return unicode.In(r, unicode.So, unicode.Sm) || isKeycapBase(r) || strings.ContainsRune("‼⁉〰〽ℹ", r)
	case selector >= 0xe0100:
		return unicode.Is(unicode.Han, r)
	case selector >= '\ufe00':
		return unicode.In(r, unicode.Sm, unicode.Han, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean,
			unicode.Egyptian_Hieroglyphs) ||
			r == '0' || strings.ContainsRune("、。！，．：；？", r)
	}
	return unicode.Is(unicode.Mongolian, r)
}

type span struct{ from, to int }

// codeParsers parse Markdown as far as code and HTML depend on it: CommonMark alone, with tables, and with footnotes
// and definition lists. Links and emphasis bind less tightly than code, and are left out: they are slow on hostile
// text.
var codeParsers = []parser.Parser{
	newReader(nil),
	newReader(nil, parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200))),
	newReader([]util.PrioritizedValue{
		util.Prioritized(extension.NewDefinitionListParser(), 101),
		util.Prioritized(extension.NewDefinitionDescriptionParser(), 102),
		util.Prioritized(extension.NewFootnoteBlockParser(), 999),
	}, parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200))),
}

func newReader(blocks []util.PrioritizedValue, more ...parser.Option) parser.Parser {
	return parser.NewParser(append([]parser.Option{
		parser.WithBlockParsers(append(blocks, parser.DefaultBlockParsers()...)...),
		parser.WithInlineParsers(util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(parser.NewRawHTMLParser(), 400)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	}, more...)...)
}

// codeOf returns the parts of source that every reader takes for code, in order. It is never nil.
func codeOf(source []byte) []span {
	votes := make([]byte, len(source))
	for _, r := range codeParsers {
		_ = ast.Walk(r.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			for _, s := range codeIn(n, source) {
				for i := s.from; i < s.to; i++ {
					votes[i]++
				}
			}
			return ast.WalkContinue, nil
		})
	}
	code := []span{}
	for i := 0; i < len(votes); i++ {
		from := i
		for i < len(votes) && int(votes[i]) == len(codeParsers) {
			i++
		}
		if i > from {
			code = append(code, span{from, i})
		}
	}
	return code
}

// codeIn returns the parts of source that a node makes code, without the beginnings of lines: HTML may begin there.
func codeIn(n ast.Node, source []byte) []span {
	var out []span
	switch n := n.(type) {
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
			out = append(out, span{s.Start, s.Stop})
		}
	case *ast.CodeSpan:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			t, ok := c.(*ast.Text)
			if !ok {
				continue
			}
			from := t.Segment.Start
			if c != n.FirstChild() {
				for from < t.Segment.Stop && strings.IndexByte(" \t>*+-.)0123456789<", source[from]) >= 0 {
					from++
				}
			}
			out = append(out, span{from, t.Segment.Stop})
		}
	}
	return out
}

// hasHTML reports whether a reader sees HTML in a text.
func hasHTML(s string) bool {
	return slices.ContainsFunc(codeParsers, func(r parser.Parser) bool {
		found := false
		_ = ast.Walk(r.Parse(text.NewReader([]byte(s))), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
			if n.Kind() == ast.KindHTMLBlock || n.Kind() == ast.KindRawHTML {
				found = true
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
		return found
	})
}
