package hostile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// writer puts a parsed text back into Markdown, as lines without their ends.
type writer struct{ source []byte }

// blocks writes the blocks in n with blank lines between them. outer: n is the document.
func (w writer) blocks(n ast.Node, outer bool) []string {
	var out []string
	inTight := false // the block before is a text in the item of a tight list, which a list may directly follow
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := w.block(c, outer)
		if len(lines) == 0 {
			continue
		}
		list, ok := c.(*ast.List)
		if len(out) > 0 && !(ok && inTight && (!list.IsOrdered() || list.Start == 1)) {
			out = append(out, "")
		}
		out = append(out, lines...)
		inTight = c.Kind() == ast.KindTextBlock
	}
	return out
}

func (w writer) block(n ast.Node, outer bool) []string {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		if w.isTable(n) {
			return fence(w.lines(n), "", outer)
		}
		return w.paragraph(n)
	case *ast.Heading:
		words := strings.TrimSpace(strings.Join(strings.Fields(w.words(n)), " "))
		if words == "" {
			return nil
		}
		return []string{"**" + escape(words, false, false) + "**"}
	case *ast.FencedCodeBlock:
		return fence(w.lines(n), string(n.Language(w.source)), outer)
	case *ast.CodeBlock:
		return fence(w.lines(n), "", outer)
	case *ast.Blockquote:
		return prefix(w.blocks(n, false), "> ", "> ")
	case *ast.List:
		return w.list(n)
	}
	return nil // a rule
}

func (w writer) paragraph(n ast.Node) []string {
	var out []string
	for line := range strings.SplitSeq(w.spans(n), "\n") {
		if line = guardLine(line); line != "" {
			out = append(out, line)
		}
	}
	if last := len(out) - 1; last >= 0 { // without the backslash of a line break that nothing follows
		slashes := len(out[last]) - len(strings.TrimRight(out[last], `\`))
		out[last] = out[last][:len(out[last])-slashes%2]
	}
	return out
}

func (w writer) list(list *ast.List) []string {
	var out []string
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		lines := w.blocks(item, false)
		if len(lines) == 0 {
			continue
		}
		mark := string(rune(list.Marker)) + " "
		if list.IsOrdered() {
			mark = strconv.Itoa(min(number, 999_999_999)) + mark // Markdown has no larger number
			number++
		}
		if len(out) > 0 && !list.IsTight {
			out = append(out, "")
		}
		out = append(out, prefix(lines, mark, strings.Repeat(" ", len(mark)))...)
	}
	return out
}

// prefix puts first before the first line and rest before the others. Blank lines get no spaces.
func prefix(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(first+line, " ")
		first = rest
	}
	return out
}

func (w writer) lines(n ast.Node) []string {
	var out []string
	for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
		out = append(out, strings.TrimRight(string(s.Value(w.source)), "\n"))
	}
	return out
}

var (
	tableRule = regexp.MustCompile(`^[|:\-\s]*-[|:\-\s]*$`)
	language  = regexp.MustCompile(`^[0-9A-Za-z+#.\-]{1,20}$`)
	backticks = regexp.MustCompile("`+")
)

// isTable reports whether readers that know tables would see one: a paragraph with a rule under another line.
func (w writer) isTable(n ast.Node) bool {
	lines := w.lines(n)
	return len(lines) > 1 && slices.ContainsFunc(lines[1:], func(line string) bool {
		return strings.Contains(line, "|") && tableRule.MatchString(line)
	})
}

// fence writes a code block that its content cannot close, indented at the outer level: no line looks like a heading.
func fence(lines []string, info string, outer bool) []string {
	if len(lines) == 0 {
		return nil
	}
	if !language.MatchString(info) {
		info = ""
	}
	ticks := ticksAround(strings.Join(lines, "\n"), 3)
	out := slices.Concat([]string{ticks + info}, lines, []string{ticks})
	if outer {
		return prefix(out, " ", " ")
	}
	return out
}

// ticksAround returns more backticks than follow each other in a text, and at least so many.
func ticksAround(text string, least int) string {
	for _, run := range backticks.FindAllString(text, -1) {
		least = max(least, len(run)+1)
	}
	return strings.Repeat("`", least)
}

// Code is Clean as a block of code, which no line of it can end. It is empty when there is nothing to show.
func Code(s string) string {
	s = strings.Trim(Clean(s), "\n")
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return strings.Join(fence(strings.Split(s, "\n"), "", false), "\n")
}

// spans writes the contents of a block. Its newlines are those of the text.
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
			b.WriteString(escape("[image: "+w.words(c)+"]", false, true) + " " + codeSpan(decodeText(string(c.Destination))))
		case *ast.AutoLink:
			if target := string(c.URL(w.source)); webAddress.MatchString(target) {
				b.WriteString("<" + address(target) + ">")
			} else {
				b.WriteString(escape("<"+target+">", false, true))
			}
		}
		run, next := w.run(c)
		b.WriteString(run)
		c = next
	}
	return b.String()
}

// run writes c and the plain text after it up to another kind of node or the end of the line, because the meaning of a
// character depends on its neighbours. It returns the next node.
func (w writer) run(c ast.Node) (string, ast.Node) {
	var raw strings.Builder
	for ; c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		switch {
		case !ok && raw.Len() == 0:
			return "", c.NextSibling()
		case !ok:
			return escape(decodeText(raw.String()), false, true), c
		}
		raw.Write(t.Segment.Value(w.source))
		switch {
		case t.HardLineBreak():
			return escape(decodeText(raw.String()), false, false) + "\\\n", c.NextSibling()
		case t.SoftLineBreak():
			return escape(decodeText(raw.String()), false, false) + "\n", c.NextSibling()
		}
	}
	return escape(decodeText(raw.String()), false, false), nil
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
				value = decodeText(value)
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
	target := decodeText(string(n.Destination))
	words := strings.TrimSpace(w.words(n))
	if !webAddress.MatchString(target) {
		return escape(strings.TrimSpace(words+" ("+target+")"), false, true)
	}
	if words == "" {
		words = target
	}
	return "[" + escape(words, true, true) + "](" + address(target) + ")"
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
