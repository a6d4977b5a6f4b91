package terminal

import (
	"fmt"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/council-engine/council/internal/hostile"
)

var markdown = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()
})

// Page formats a Markdown document for a terminal of so many columns, in colour or without any escape sequence. Links
// are shown as text, and nothing in it controls the terminal. What takes too long to parse stays Markdown.
func Page(document string, columns int, colour bool) string {
	if columns < narrowest {
		columns = 80
	}
	document = hostile.Terminal(document)
	if hostile.IsHeavy(document) {
		return Fold(document, columns)
	}
	p := &page{columns: columns, colour: colour}
	if yaml, ok := strings.CutPrefix(document, "---\n"); ok {
		if front, rest, ok := strings.Cut(yaml, "\n---\n"); ok {
			p.out.WriteString(front + "\n\n")
			document = rest
		}
	}
	p.source = []byte(document)
	p.blocks(markdown().Parse(text.NewReader(p.source)), &margin{}, false)
	return p.out.String()
}

type page struct {
	columns int
	colour  bool
	out     strings.Builder
	source  []byte
}

// margin is the prefix of a block's first line, and of its other lines.
type margin struct{ first, rest string }

func (m *margin) next() string {
	first := m.first
	m.first = m.rest
	return first
}

func (m *margin) within(first, rest string) *margin { return &margin{m.next() + first, m.rest + rest} }

func (p *page) lines(m *margin, lines ...string) {
	for _, line := range lines {
		p.out.WriteString(strings.TrimRight(m.next()+line, " ") + "\n")
	}
}

func (p *page) room(m *margin) int { return max(p.columns-Cells(m.rest), 20) }

// blocks formats nested blocks, separated by blank lines unless tight.
func (p *page) blocks(n ast.Node, m *margin, tight bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil && !tight {
			p.lines(m, "")
		}
		p.block(c, m)
	}
}

func (p *page) block(n ast.Node, m *margin) {
	switch n := n.(type) {
	case *ast.Heading:
		marks := strings.Repeat("#", n.Level) + " "
		if p.colour {
			marks = ""
		}
		p.lines(m, wrapped(marks+p.inline(n, bold), p.room(m), false)...)
	case *ast.Paragraph, *ast.TextBlock:
		p.lines(m, wrapped(p.inline(n, 0), p.room(m), false)...)
	case *ast.List:
		number := n.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			mark := "• "
			if n.IsOrdered() {
				mark = fmt.Sprintf("%d. ", number)
				number++
			}
			if item.PreviousSibling() != nil && !n.IsTight {
				p.lines(m, "")
			}
			p.blocks(item, m.within(mark, strings.Repeat(" ", Cells(mark))), n.IsTight)
		}
	case *ast.Blockquote:
		bar := paint("│", dim, p.colour) + " "
		p.blocks(n, m.within(bar, bar), false)
	case *ast.ThematicBreak:
		p.lines(m, paint(strings.Repeat("─", min(40, p.room(m))), dim, p.colour))
	case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
		in := m.within("    ", "    ")
		if fence, ok := n.(*ast.FencedCodeBlock); ok && fence.Info != nil { // it may hold whole sentences
			p.lines(in, wrapped(paint(p.said(fence.Info.Value(p.source), true, 0), dim, p.colour), p.room(in), false)...)
		}
		for line := range strings.Lines(string(n.Lines().Value(p.source))) {
			for _, part := range pieces(strings.TrimSuffix(line, "\n"), p.room(in)) {
				p.lines(in, paint(part, code, p.colour))
			}
		}
	case *extast.Table:
		var rows [][]string
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			var cells []string
			s := map[bool]style{true: bold}[row.Kind() == extast.KindTableHeader]
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				cells = append(cells, p.inline(cell, s))
			}
			rows = append(rows, cells)
		}
		lines := Grid(rows, p.room(m), func(column int) bool { return n.Alignments[column] == extast.AlignRight })
		p.lines(m, lines...)
	default:
		p.blocks(n, m, false)
	}
}

// inline returns the words of a block, on one line but for hard breaks.
func (p *page) inline(n ast.Node, s style) string {
	var words strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			words.WriteString(p.said(c.Segment.Value(p.source), c.IsRaw() || n.Kind() == ast.KindCodeSpan, s))
			if c.HardLineBreak() {
				words.WriteByte('\n')
			} else if c.SoftLineBreak() {
				words.WriteByte(' ')
			}
		case *ast.String:
			words.WriteString(p.said(c.Value, c.IsRaw(), s))
		case *ast.CodeSpan:
			words.WriteString(p.inline(c, s|code))
		case *ast.Emphasis:
			words.WriteString(p.inline(c, s|map[int]style{1: italic, 2: bold}[c.Level]))
		case *extast.Strikethrough: // without colour the marks keep the meaning
			mark := map[bool]string{false: "~~"}[p.colour]
			words.WriteString(mark + p.inline(c, s|struck) + mark)
		case *ast.AutoLink:
			words.WriteString(p.said(c.URL(p.source), true, s))
		case *ast.Link:
			shown, to := p.inline(c, s|underlined), p.said(c.Destination, false, 0)
			if words.WriteString(shown); ansi.Strip(shown) != to && !strings.HasPrefix(to, "#") {
				words.WriteString(" (" + to + ")")
			}
		case *ast.RawHTML:
			words.WriteString(p.said(c.Segments.Value(p.source), true, s))
		default:
			words.WriteString(p.inline(c, s))
		}
	}
	return words.String()
}

// said resolves the escapes and entities of a text and styles each word. The result cannot control the terminal.
func (p *page) said(value []byte, raw bool, s style) string {
	read := string(value)
	if !raw && strings.ContainsAny(read, "&\\") {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		read = strings.ReplaceAll(hostile.Terminal(string(value)), "\n", " ")
	}
	if s == 0 || !p.colour {
		return read
	}
	words := strings.Split(read, " ")
	for i, word := range words {
		words[i] = paint(word, s, p.colour)
	}
	return strings.Join(words, " ")
}
