package terminal

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Marks set the style of the text up to the next mark: control characters, which foreign text never has, without width.
const (
	markEnd    shown = "\x0f"
	markBold   shown = "\x01" // results
	markDim    shown = "\x02" // machinery
	markMember       = '\x10' // the first of one for each colour
)

// colours are those of members, in the 256-colour palette. Each is readable on white and on black.
var colours = [8]int{30, 130, 98, 28, 162, 63, 131, 64}

// coloured returns a member's name in its colour, which stays the same through a session.
func coloured(c *council.Charter, id council.MemberID) shown {
	name := shown(hostile.Label(Name(c, id)))
	if i := slices.IndexFunc(c.Members, func(m council.Member) bool { return m.ID == id }); i >= 0 {
		return shown(string(rune(markMember+i%len(colours)))) + name + markEnd
	}
	return name
}

// sequence returns the escape sequence of a mark; ok is false for other characters.
func sequence(r rune) (look string, ok bool) {
	switch mark := shown(string(r)); {
	case mark == markEnd:
		return "\x1b[m", true
	case mark == markBold:
		return "\x1b[1m", true
	case mark == markDim:
		return "\x1b[2m", true
	case r >= markMember && int(r-markMember) < len(colours):
		return fmt.Sprintf("\x1b[38;5;%dm", colours[r-markMember]), true
	}
	return "", false
}

// Paint turns the marks of a text into colours, or removes them, and makes the rest harmless to the terminal.
func Paint(text string, colour bool) string {
	var b strings.Builder
	from, look := 0, rune(0)
	for i, r := range text + string(markEnd) {
		to, ok := sequence(r)
		if !ok {
			continue
		}
		b.WriteString(hostile.Terminal(text[from:i]))
		if from = min(i+1, len(text)); colour && (i < len(text) || look != 0 && shown(look) != markEnd) {
			b.WriteString(to)
		}
		look = r
	}
	return b.String()
}

// Rows folds a text into rows of at most width columns. Each begins with the mark in force.
func Rows(text string, width int) (rows []string) {
	look := ""
	for line := range strings.SplitSeq(Fold(strings.ReplaceAll(text, "\t", "    "), width), "\n") {
		row, at := look, 0
		for _, r := range line {
			wide := Cells(string(r))
			if wide > 0 && at+wide > width {
				rows, row, at = append(rows, row), look, 0
			}
			if _, ok := sequence(r); ok {
				look = string(r)
			}
			row, at = row+string(r), at+wide
		}
		rows = append(rows, row)
	}
	return rows
}

// style is the parameters of an escape sequence, each with a semicolon: two styles are added to one.
type style string

const (
	bold       style = "1;"
	dim        style = "2;"
	italic     style = "3;"
	underlined style = "4;"
	struck     style = "9;"
	code       style = "36;" // the colours are the terminal's own
	red        style = "31;"
	green      style = "32;"
)

// paint returns a text in a style, or unchanged without colour.
func paint(text string, s style, colour bool) string {
	if !colour || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s[:len(s)-1]) + "m" + text + "\x1b[0m"
}

// Gone marks removed words by colour, or by brackets.
func Gone(words string, colour bool) string {
	if !colour {
		return "[-" + words + "-]"
	}
	return paint(words, red+struck, colour)
}

// Come marks added words as [Gone] marks removed ones.
func Come(words string, colour bool) string {
	if !colour {
		return "{+" + words + "+}"
	}
	return paint(words, green, colour)
}

// Dim returns a text in a faint style.
func Dim(words string, colour bool) string { return paint(words, dim, colour) }

// narrowest is the width below which the terminal breaks lines.
const narrowest = 30

// Fold breaks lines between words to at most width columns. The further rows are indented, or quoted as the first is,
// so that foreign text never begins a row. A longer word stays whole: it may be an address to copy. Below 30 columns,
// and for an unknown width of 0, it changes nothing.
func Fold(text string, width int) string {
	if width < narrowest {
		return text
	}
	var b strings.Builder
	plain := func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}
	for line := range strings.Lines(strings.Map(plain, text)) {
		further := line[:len(line)-len(strings.TrimLeft(line, " >"))]
		if len(further) > width/2 {
			further = ""
		}
		if !strings.Contains(further, ">") && len(further) < len(hostile.Inset) {
			further = hostile.Inset
		}
		b.WriteString(strings.Join(wrap(line, further, width, false), "\n"))
	}
	return b.String()
}

// wrap breaks a line between words into rows, all but the first with further before them. Long words stay, unless cut.
func wrap(line, further string, columns int, cut bool) (rows []string) {
	row, at := "", 0
	for rest := line; rest != ""; {
		word := strings.TrimLeft(rest, " ")
		gap := rest[:len(rest)-len(word)]
		word, _, _ = strings.Cut(word, " ")
		rest = rest[len(gap)+len(word):]
		wide := Cells(word)
		if at > len(further) && wide > 0 && at+len(gap)+wide > columns {
			rows, row, at, gap = append(rows, row), further, len(further), ""
		}
		if cut && wide > columns {
			parts := pieces(ansi.Strip(word), columns)
			rows, word = append(rows, parts[:len(parts)-1]...), parts[len(parts)-1]
			wide = Cells(word)
		}
		row, at = row+gap+word, at+len(gap)+wide
	}
	return append(rows, row)
}

// wrapped is wrap for a text of several lines.
func wrapped(text string, columns int, cut bool) (rows []string) {
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, wrap(line, "", columns, cut)...)
	}
	return rows
}

// pieces cuts a text into pieces of at most so many columns; an empty text is one piece.
func pieces(text string, columns int) []string {
	var all []string
	from, at := 0, 0
	for i, r := range text {
		wide := Cells(string(r))
		if at+wide > columns && i > from {
			all, from, at = append(all, text[from:i]), i, 0
		}
		at += wide
	}
	return append(all, text[from:])
}

// Columns returns width(), or 0 if width is nil.
func Columns(width func() int) int {
	if width == nil {
		return 0
	}
	return width()
}

// Cells returns the columns of a text on a terminal, without the escape sequences of styles.
func Cells(text string) int { return ansi.StringWidth(text) }

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
		p.lines(m, wrapped(p.inline(n, ""), p.room(m), false)...)
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
			p.lines(in, wrapped(paint(p.said(fence.Info.Value(p.source), true, ""), dim, p.colour), p.room(in), false)...)
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
			words.WriteString(p.inline(c, s+code))
		case *ast.Emphasis:
			words.WriteString(p.inline(c, s+map[int]style{1: italic, 2: bold}[c.Level]))
		case *extast.Strikethrough: // without colour the marks keep the meaning
			mark := map[bool]string{false: "~~"}[p.colour]
			words.WriteString(mark + p.inline(c, s+struck) + mark)
		case *ast.AutoLink:
			words.WriteString(p.said(c.URL(p.source), true, s))
		case *ast.Link:
			shown, to := p.inline(c, s+underlined), p.said(c.Destination, false, "")
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
	if s == "" || !p.colour {
		return read
	}
	words := strings.Split(read, " ")
	for i, word := range words {
		words[i] = paint(word, s, p.colour)
	}
	return strings.Join(words, " ")
}
