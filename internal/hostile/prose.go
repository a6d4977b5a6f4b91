package hostile

import (
	"fmt"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The bounds beyond which Prose ignores structure: parsing hostile text takes more than linear time.
const (
	maxProse   = 64 << 10 // bytes
	maxNesting = 20       // levels of quotes and lists
	maxMarks   = 4096     // emphasis and bracket characters
	maxLinks   = 256      // beginnings of a link's address, each of which may send the parser to the end of the text
	maxGrowth  = 4        // times: nested lines grow by their indentation
)

// Prose returns s as Markdown that can be put between two blocks of our documents. Paragraphs, lists, quotes,
// emphasis, code and web links stay. A heading becomes a bold line; a table becomes a code block; HTML, images and
// other links become text; rules are removed. Text appended after a blank line is a block of its own.
//
// Text beyond the bounds keeps its words and lines, and loses its form. The result may be empty.
func Prose(s string) string {
	s = Clean(s)
	if IsHeavy(s) {
		return flatten(s)
	}
	source := []byte(s)
	doc := proseParser.Parse(text.NewReader(source))
	if nestingDepth(doc) > maxNesting {
		return flatten(s)
	}
	w := writer{source: source}
	prose := strings.Join(w.blocks(doc, true), "\n")
	if len(prose) > maxGrowth*len(s)+1024 {
		return flatten(s)
	}
	return prose
}

// IsHeavy reports whether a text is too long, has too many marks or is nested too deeply for a parser of Markdown.
func IsHeavy(s string) bool { return len(s) > maxProse || hasManyMarks(s) || isNested(s) }

// hasManyMarks reports whether s has more inline marks than any honest text.
func hasManyMarks(s string) bool {
	return strings.Count(s, "*")+strings.Count(s, "_")+strings.Count(s, "[") > maxMarks ||
		strings.Count(s, "](") > maxLinks
}

// IsCostly is [IsHeavy] for a whole document.
func IsCostly(s string) bool {
	return len(s) > maxDocument || len(s) > maxProse && hasManyMarks(s) || isNested(s)
}

// proseParser parses CommonMark without HTML and link definitions, which are then shown as text.
var proseParser = parser.NewParser(
	parser.WithBlockParsers(removeParsers(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
	parser.WithInlineParsers(removeParsers(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...))

// removeParsers returns the parsers except those of one type.
func removeParsers(parsers []util.PrioritizedValue, but any) []util.PrioritizedValue {
	return slices.DeleteFunc(parsers, func(p util.PrioritizedValue) bool {
		return reflect.TypeOf(p.Value) == reflect.TypeOf(but)
	})
}

// isNested reports whether a line opens more blocks than any honest text.
func isNested(s string) bool {
	for line := range strings.Lines(s) {
		marks := 0
		for i := 0; i < len(line) && strings.IndexByte(" \t>-+*.)0123456789", line[i]) >= 0; i++ {
			if strings.IndexByte(">-+*.)", line[i]) >= 0 {
				marks++
			}
		}
		if marks > maxNesting && strings.ContainsAny(line[:min(len(line), 2*marks)], "> ") {
			return true
		}
	}
	return false
}

func nestingDepth(n ast.Node) int {
	deepest := 0
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		deepest = max(deepest, nestingDepth(c))
	}
	switch n.Kind() {
	case ast.KindBlockquote, ast.KindListItem, ast.KindEmphasis:
		deepest++
	}
	return deepest
}

// flatten keeps only words and line ends.
func flatten(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, guardLine(escape(strings.TrimSpace(decodeText(oneLine.Replace(line))), false, false)))
	}
	out = slices.CompactFunc(out, func(a, b string) bool { return a == "" && b == "" })
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// Markdown is text that needs no escaping in a Markdown document.
type Markdown string

// Inlined makes a value harmless within a line of Markdown. Templates write all values by it.
func Inlined(value any) Markdown {
	switch v := value.(type) {
	case Markdown:
		return v
	case string:
		return Markdown(Inline(v))
	}
	return Markdown(Inline(fmt.Sprint(value)))
}

// Inline is Line within Markdown, such as a table cell or a heading: everything with a meaning there is escaped.
func Inline(s string) string {
	line := guardLine(strings.ReplaceAll(escape(Line(s), true, false), "|", `\|`))
	if !strings.HasSuffix(line, "#") {
		return line // as nearly all are, and the search takes longer than the rest
	}
	return closingHashes.ReplaceAllString(line, `$1\$2`)
}

// Quoted is Inline between quotation marks. Marks within become single ones.
func Quoted(s string) string { return "“" + Inline(innerQuotes.Replace(s)) + "”" }

var innerQuotes = strings.NewReplacer("“", "‘", "”", "’", "„", "‚", "‟", "‛", "«", "‹", "»", "›", "〝", "‘", "〞",
	"’", "〟", "‚")

// closingHashes matches hashes that would be cut from the end of a heading.
var closingHashes = regexp.MustCompile(`(\s)(#+)$`)

// escape gives plain text its literal meaning in a paragraph. strict: also brackets and stars; more: text follows.
func escape(s string, strict, more bool) string {
	if !strings.ContainsAny(s, "\\`*_[]<&!~|") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := range len(s) {
		if mustEscape(s, i, strict, more) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// mustEscape reports whether the ASCII character at i would mean something other than itself.
func mustEscape(s string, i int, strict, more bool) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, width := utf8.DecodeRuneInString(s[i+1:])
	end := width == 0
	switch s[i] {
	case '`':
		return true
	case '\\':
		return end || isMark(after)
	case '*':
		return strict || !unicode.IsSpace(before) || !unicode.IsSpace(after)
	case '_':
		return !isWord(before) || !isWord(after)
	case '[':
		cited := citation.FindString(s[i:])
		return strict || cited == "" || before == '!' || before == ']' || more && i+len(cited) == len(s)
	case ']':
		return strict
	case '<':
		return end || after == '/' || after == '!' || after == '?' || after < utf8.RuneSelf && unicode.IsLetter(after)
	case '&':
		return end || after == '#' || after < utf8.RuneSelf && unicode.IsLetter(after)
	case '!':
		return after == '[' || end && more
	case '~':
		return after == '~' || before == '~' || i == 0 || end && more
	}
	return false
}

// citation matches a short word in brackets that nothing after it makes a link: "[e12]".
var citation = regexp.MustCompile(`^\[[0-9A-Za-z][0-9A-Za-z ,.\-]{0,40}\](?:$|[^(:\[])`)

// isMark reports whether a backslash before r escapes it.
func isMark(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

var (
	blockStart = regexp.MustCompile(`^(?:[#>]|\[[xX]\]|[-+*:](?:\s|$)|[0-9]{1,9}[.)](?:\s|$))`)
	ruleLine   = regexp.MustCompile(`^(?:[-\s]+|[=\s]+|[*\s]+|[_\s]+|[|:\-+\s]+)$`)
	itemNumber = regexp.MustCompile(`^[0-9]{1,9}`)
)

// guardLine escapes the beginning of a line that would start a block, underline a heading or rule a table.
func guardLine(line string) string {
	line = strings.Trim(line, " \t")
	switch {
	case line == "":
		return ""
	case ruleLine.MatchString(line):
		return `\` + line
	case blockStart.MatchString(line):
		n := len(itemNumber.FindString(line))
		return line[:n] + `\` + line[n:]
	}
	return line
}

var entity = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// decodeText resolves backslash escapes and character references as Markdown does, and cleans the result.
func decodeText(raw string) string {
	if !strings.ContainsAny(raw, `\&`) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			if i+1 < len(raw) && isMark(rune(raw[i+1])) {
				i++
			}
		case '&':
			if ref := entity.FindString(raw[i:]); ref != "" {
				b.WriteString(html.UnescapeString(ref))
				i += len(ref) - 1
				continue
			}
		}
		b.WriteByte(raw[i])
	}
	return oneLine.Replace(Clean(b.String()))
}
