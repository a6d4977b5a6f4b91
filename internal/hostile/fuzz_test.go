package hostile

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

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
