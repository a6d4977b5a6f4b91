package hostile

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// gfm reads Markdown as the most generous reader of a transcript might.
var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))

// problems lists the breaches of Prose's promises in the Markdown of a hostile author, alone, in a quote and in a list.
func problems(prose string) []string {
	var out []string
	for _, line := range strings.Split(prose, "\n") {
		if strings.HasPrefix(line, "#") {
			out = append(out, "a line begins with #")
		}
	}
	for _, r := range prose {
		if isInvisible(r) && r != '\u200c' && r != '\u200d' && !isSelector(r) {
			out = append(out, fmt.Sprintf("invisible %U", r))
		}
	}
	if !utf8.ValidString(prose) {
		out = append(out, "not UTF-8")
	}
	quoted := "> " + strings.ReplaceAll(prose, "\n", "\n> ")
	listed := "- " + strings.ReplaceAll(prose, "\n", "\n  ")
	for place, form := range map[string]string{"alone": prose, "quoted": quoted, "listed": listed} {
		for _, p := range structure(form) {
			out = append(out, place+": "+p)
		}
	}
	return out
}

// structure puts the text between two paragraphs and a heading of ours and names the foreign parts.
func structure(form string) []string {
	source := []byte("before\n\n" + form + "\n\n# after\n\nend\n")
	pc := parser.NewContext()
	doc := gfm.Parser().Parse(text.NewReader(source), parser.WithContext(pc))
	var out []string
	if len(pc.References()) > 0 {
		out = append(out, "defines a link")
	}
	end := doc.LastChild()
	if end == nil || end.Kind() != ast.KindParagraph || string(end.Lines().Value(source)) != "end" {
		return append(out, "swallows the paragraph after it")
	}
	heading := end.PreviousSibling()
	if heading == nil || heading.Kind() != ast.KindHeading || string(heading.Lines().Value(source)) != "after" {
		return append(out, "swallows the heading after it")
	}
	if first := doc.FirstChild(); first.Kind() != ast.KindParagraph || string(first.Lines().Value(source)) != "before" {
		out = append(out, "changes the paragraph before it")
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading:
			if n != heading {
				out = append(out, "a heading")
			}
		case ast.KindThematicBreak, ast.KindHTMLBlock, ast.KindRawHTML, ast.KindImage, extast.KindTable,
			extast.KindFootnoteList, extast.KindFootnoteLink, extast.KindDefinitionList, extast.KindTaskCheckBox:
			out = append(out, n.Kind().String())
		case ast.KindLink:
			if !webAddress.Match(n.(*ast.Link).Destination) {
				out = append(out, "a link to "+string(n.(*ast.Link).Destination))
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

func requireSound(t *testing.T, in, out string) {
	t.Helper()
	if p := problems(out); len(p) > 0 {
		t.Errorf("from %q\ncame %q\nwhich has: %s", in, out, strings.Join(p, "; "))
	}
}

// shown returns the letters and digits of a text, which no rendering may lose.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func FuzzProse(f *testing.F) {
	for _, c := range proseCases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Prose(in)
		requireSound(t, in, out)
		requireSound(t, out, Prose(out))
	})
}

func FuzzInline(f *testing.F) {
	for _, c := range proseCases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Inline(in)
		if strings.ContainsAny(out, "\n\t\r") {
			t.Fatalf("%q became more than one line: %q", in, out)
		}
		requireSound(t, in, out)
		requireCell(t, in, out)
		requireHeading(t, in, out)
	})
}

func FuzzClean(f *testing.F) {
	for _, c := range proseCases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Clean(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q is not UTF-8", out)
		}
		if again := Clean(out); again != out {
			t.Fatalf("Clean(%q) = %q, and again %q", in, out, again)
		}
		if term := Terminal(in); strings.ContainsAny(term, "\x1b\t\r\u009b") {
			t.Fatalf("Terminal(%q) = %q", in, term)
		}
	})
}

// requireCell checks that an inline text fills one cell of a table and no more.
func requireCell(t *testing.T, in, out string) {
	t.Helper()
	source := []byte("| a | b |\n|---|---|\n| " + out + " | z |\n")
	doc := gfm.Parser().Parse(text.NewReader(source))
	table := doc.FirstChild()
	if table == nil || table.Kind() != extast.KindTable || table.NextSibling() != nil || table.ChildCount() != 2 {
		t.Fatalf("%q breaks its table: %q", in, out)
	}
	row := table.LastChild()
	if n := row.ChildCount(); n != 2 || string(row.LastChild().Lines().Value(source)) != "z" {
		t.Fatalf("%q does not fill one cell: %q", in, out)
	}
}

// requireHeading checks that an inline text can be a heading's words, and that all of it is.
func requireHeading(t *testing.T, in, out string) {
	t.Helper()
	if out == "" {
		return
	}
	source := []byte("### " + out + "\n")
	doc := gfm.Parser().Parse(text.NewReader(source))
	h := doc.FirstChild()
	if h == nil || h.Kind() != ast.KindHeading || h.NextSibling() != nil || string(h.Lines().Value(source)) != out {
		t.Fatalf("%q does not make one heading: %q", in, out)
	}
}
