package hostile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// spans writes what stands inside a block. Its newlines are those of the text.
func (w writer) spans(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; {
		switch c := c.(type) {
		case *ast.CodeSpan:
			b.WriteString(codeSpan(w.words(c)))
		case *ast.Emphasis:
			mark := strings.Repeat("*", c.Level)
			if inner := w.spans(c); strings.TrimSpace(inner) != "" {
				b.WriteString(mark + inner + mark)
			}
		case *ast.Link:
			b.WriteString(w.link(c))
		case *ast.Image:
			b.WriteString(escape("[image: "+w.words(c)+"]", false, true) + " " + codeSpan(decode(string(c.Destination))))
		case *ast.AutoLink:
			b.WriteString(w.autoLink(c))
		}
		run, next := w.run(c)
		b.WriteString(run)
		c = next
	}
	return b.String()
}

// run writes c and the plain text after it up to a node of another kind or the end of the line, as one: what a
// character means depends on its neighbours. It returns the node that follows.
func (w writer) run(c ast.Node) (string, ast.Node) {
	var raw strings.Builder
	for ; c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			if raw.Len() == 0 {
				return "", c.NextSibling()
			}
			return escape(decode(raw.String()), false, true), c
		}
		raw.Write(t.Segment.Value(w.source))
		switch {
		case t.HardLineBreak():
			return escape(decode(raw.String()), false, false) + "\\\n", c.NextSibling()
		case t.SoftLineBreak():
			return escape(decode(raw.String()), false, false) + "\n", c.NextSibling()
		}
	}
	return escape(decode(raw.String()), false, false), nil
}

// words returns the bare text within n, on one line.
func (w writer) words(n ast.Node) string {
	var b strings.Builder
	var walk func(ast.Node, bool)
	walk = func(n ast.Node, code bool) {
		switch n := n.(type) {
		case *ast.Text:
			value := string(n.Segment.Value(w.source))
			if !code {
				value = decode(value)
			}
			b.WriteString(oneLine.Replace(value))
			if !code && (n.SoftLineBreak() || n.HardLineBreak()) {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(n.Label(w.source))
		}
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			walk(c, code || n.Kind() == ast.KindCodeSpan)
		}
	}
	walk(n, false)
	return b.String()
}

// codeSpan writes code between more backticks than it holds.
func codeSpan(code string) string {
	if strings.TrimSpace(code) == "" {
		return ""
	}
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") || code[0] == ' ' && code[len(code)-1] == ' ' {
		code = " " + code + " "
	}
	ticks := ticksAround(code, 1)
	return ticks + code + ticks
}

var webAddress = regexp.MustCompile(`^(?i:https?://|mailto:)[^\s]`)

// link keeps a link to the web and turns every other into text.
func (w writer) link(n *ast.Link) string {
	target := decode(string(n.Destination))
	words := strings.TrimSpace(w.words(n))
	if !webAddress.MatchString(target) {
		return escape(strings.TrimSpace(words+" ("+target+")"), false, true)
	}
	if words == "" {
		words = target
	}
	return "[" + escape(words, true, true) + "](" + address(target) + ")"
}

func (w writer) autoLink(n *ast.AutoLink) string {
	target := string(n.URL(w.source))
	if !webAddress.MatchString(target) {
		return escape("<"+target+">", false, true)
	}
	return "<" + address(target) + ">"
}

// address writes a web address with everything but its plain characters percent-encoded.
func address(target string) string {
	var b strings.Builder
	for i := range len(target) {
		c := target[i]
		if c > ' ' && c < 0x7f && strings.IndexByte("\"'()<>[]\\^`{|}*_~!", c) < 0 || c == '_' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
