package hostile

import (
	"reflect"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The bounds beyond which Prose does not look for structure: parsing takes more than linear time on hostile text.
const (
	maxProse   = 64 << 10 // bytes
	maxNesting = 20       // levels of quotes and lists
	maxMarks   = 4096     // emphasis and bracket characters
	maxLinks   = 256      // beginnings of a link's address, each of which may send the parser to the end of the text
	maxGrowth  = 4        // times: nested lines grow by their indentation
)

// Prose returns what s says, as Markdown that can stand between two blocks of a document of ours. Paragraphs, lists,
// quotes, emphasis, code and web links stay. A heading becomes a bold line; a table becomes a code block; HTML,
// images and other links become text; rules go. Whatever is appended after a blank line is a block of its own.
//
// Text beyond the bounds of size and nesting keeps its words and lines, and loses its form. The result has no newline
// at its end and is empty when there is nothing to show.
func Prose(s string) string {
	s = Clean(s)
	if Heavy(s) {
		return flatten(s)
	}
	source := []byte(s)
	doc := reader.Parse(text.NewReader(source))
	if depth(doc) > maxNesting {
		return flatten(s)
	}
	w := writer{source: source}
	prose := strings.Join(w.blocks(doc, true), "\n")
	if len(prose) > maxGrowth*len(s)+1024 {
		return flatten(s)
	}
	return prose
}

// Heavy reports whether a text is too long, has too many marks or is nested too deeply for a parser of Markdown, which
// takes more than linear time on such text.
func Heavy(s string) bool { return len(s) > maxProse || marked(s) || nested(s) }

// marked reports whether s holds more inline marks than any honest text.
func marked(s string) bool {
	return strings.Count(s, "*")+strings.Count(s, "_")+strings.Count(s, "[") > maxMarks ||
		strings.Count(s, "](") > maxLinks
}

// Costly reports whether Markdown of somebody else would take a parser too long: it is larger than any document that is
// parsed here, or has more marks or deeper nesting than any honest one.
func Costly(s string) bool {
	return len(s) > maxDocument || len(s) > maxProse && marked(s) || nested(s)
}

// reader parses CommonMark without HTML and without link definitions, so that both are text, which is shown.
var reader = parser.NewParser(
	parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
	parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
)

// without returns parsers but for those of one type.
func without(parsers []util.PrioritizedValue, but any) []util.PrioritizedValue {
	return slices.DeleteFunc(parsers, func(p util.PrioritizedValue) bool {
		return reflect.TypeOf(p.Value) == reflect.TypeOf(but)
	})
}

// nested reports whether a line opens more blocks than any honest text, before the parser has to.
func nested(s string) bool {
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

func depth(n ast.Node) int {
	deepest := 0
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		deepest = max(deepest, depth(c))
	}
	switch n.Kind() {
	case ast.KindBlockquote, ast.KindListItem, ast.KindEmphasis:
		deepest++
	}
	return deepest
}

// flatten keeps words and line ends, and nothing else.
func flatten(s string) string {
	var out []string
	blank := false
	for line := range strings.Lines(s) {
		line = guardLine(escape(strings.TrimSpace(decode(oneLine.Replace(line))), false, false))
		if line == "" {
			blank = len(out) > 0
			continue
		}
		if blank {
			out = append(out, "")
			blank = false
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
