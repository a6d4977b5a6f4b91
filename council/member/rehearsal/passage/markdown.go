package passage

import (
	"html"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The bounds beyond which a document is not parsed as Markdown: the parser takes more than linear time on hostile text.
const (
	maxBlock   = 64 << 10 // bytes between two blank lines
	maxNesting = 20       // block marks at the start of a line
	maxMarks   = 2_000    // brackets, stars and underscores between two blank lines
)

// tame reports whether text stays within the bounds.
func tame(text string) bool {
	size, marks := 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			size, marks = 0, 0
			continue
		}
		size += len(line)
		marks += strings.Count(line, "[") + strings.Count(line, "*") + strings.Count(line, "_") + strings.Count(line, "<")
		start := line[:len(line)-len(strings.TrimLeft(line, " \t>-+*.)0123456789"))]
		nesting := strings.Count(start, ">") + strings.Count(start, "- ") + strings.Count(start, "* ") + strings.Count(start, "+ ")
		if size > maxBlock || marks > maxMarks || nesting > maxNesting {
			return false
		}
	}
	return true
}

// markdown splits a document along its blocks. Program text and HTML in it are left out.
func markdown(source string) []Passage {
	r := reader{source: []byte(source), starts: []int{0}}
	for i := range len(source) {
		if source[i] == '\n' {
			r.starts = append(r.starts, i+1)
		}
	}
	r.walk(goldmark.DefaultParser().Parse(text.NewReader(r.source)), Sentence)
	return r.out
}

type reader struct {
	source  []byte
	starts  []int // offset of each line
	heading string
	out     []Passage
}

func (r *reader) line(offset int) int {
	return sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > offset })
}

func (r *reader) walk(n ast.Node, form Form) {
	for c := n.FirstChild(); c != nil && len(r.out) < maxPassages; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			var b block
			r.inline(&b, c)
			r.heading = shorten(strings.Join(strings.Fields(b.text.String()), " "))
		case *ast.Paragraph, *ast.TextBlock:
			if rows := r.rows(c); rows != nil {
				r.out = append(r.out, rows...)
				continue
			}
			var b block
			r.inline(&b, c)
			r.out = append(r.out, b.passages(r.heading, form)...)
		case *ast.List, *ast.ListItem:
			r.walk(c, Item)
		case *ast.Blockquote:
			r.walk(c, form)
		}
	}
}

// inline adds the words within n, without their markup.
func (r *reader) inline(b *block, n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			words := c.Segment.Value(r.source)
			if n.Kind() != ast.KindCodeSpan {
				words = []byte(html.UnescapeString(string(util.UnescapePunctuations(words))))
			}
			b.add(string(words), r.line(c.Segment.Start))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.space()
			}
		case *ast.AutoLink, *ast.Image, *ast.RawHTML:
			// Addresses, pictures and tags are nothing to quote.
		default:
			r.inline(b, c)
		}
	}
}

// rows reads a paragraph that is really a table, a row at a time, or returns nil.
func (r *reader) rows(n ast.Node) []Passage {
	all := n.Lines()
	if all.Len() < 2 {
		return nil
	}
	var out []Passage
	ruled := false
	for i := range all.Len() {
		segment := all.At(i)
		row := strings.TrimSpace(string(segment.Value(r.source)))
		if !strings.Contains(row, "|") {
			return nil
		}
		if strings.Trim(row, "|:- ") == "" {
			ruled = true
			continue
		}
		if !ruled {
			continue // the header
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(row, "|"), "|") {
			if cell = strings.Trim(strings.ReplaceAll(cell, "`", ""), " *_."); cell != "" {
				cells = append(cells, cell)
			}
		}
		var b block
		b.add(strings.Join(cells, "; "), r.line(segment.Start))
		for _, p := range b.passages(r.heading, Row) {
			out = append(out, p)
			break // the rest of a row makes no sense without its beginning
		}
	}
	if !ruled {
		return nil
	}
	return out
}
