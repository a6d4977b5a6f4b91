package hostile

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// span is a part of a text, in bytes.
type span struct{ from, to int }

// readers parse Markdown as far as code and HTML depend on it: CommonMark alone, with tables, and with footnotes and
// lists of definitions. Links and emphasis bind less tightly than code, and are left out: they take long on hostile
// text.
var readers = []parser.Parser{
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
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	}, more...)...)
}

// codeOf returns the parts of source that every reader takes for code, in their order. It is never nil.
func codeOf(source []byte) []span {
	votes := make([]byte, len(source))
	for _, r := range readers {
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
		for i < len(votes) && int(votes[i]) == len(readers) {
			i++
		}
		if i > from {
			code = append(code, span{from, i})
		}
	}
	return code
}

// codeIn returns the parts of source that a node makes code. Of a code span not the beginning of a line: there HTML
// begins whatever stands before it.
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

// active reports whether a reader sees HTML in a text.
func active(s string) bool {
	return slices.ContainsFunc(readers, func(r parser.Parser) bool {
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
