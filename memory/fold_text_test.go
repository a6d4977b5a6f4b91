package memory

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/council-engine/council/internal/hostile"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"One\n  two\tthree ":             "One two three",
		"# Heading\n\n- a\n- b\n> > # c": "Heading. a b c",
		"## Why?\nBecause":               "Why? Because",
		"#\n-\n>":                        "",
		"a\u202eb\x1b[31m\u200b":         "ab[31m",
		" [forgotten]\n":                 "",
		"what was [forgotten] here":      "what was [forgotten] here",
		"-5 degrees":                     "-5 degrees",
		"**bold** and `code`":            "**bold** and `code`",
		"\xff broken":                    "\ufffd broken",
	} {
		if got := plainText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"fits", 4, "fits"},
		{"one two three", 12, "one two…"},
		{"one two, three", 12, "one two…"},
		{"one two three", 8, "one two…"},
		{strings.Repeat("x", 50), 10, "xxxxxxxxx…"},
		{"我们应该采用微服务吗", 5, "我们应该…"},
		{"aaaae\u0301\u0301", 6, "aaaa…"}, // no letter without its marks
	} {
		if got := shorten(c.text, c.n); got != c.want {
			t.Errorf("%q in %d is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"\n\n# Queue\n\nShould it?": "Queue",
		"- \n> Shall we?":           "Shall we?",
		"[forgotten]":               "",
		"":                          "",
	} {
		if got := firstLine(text); got != want {
			t.Errorf("the title of %q is %q, want %q", text, got, want)
		}
	}
}

// Whatever a member writes becomes one visible line within its bound, and stays what it is when it is cut again.
func FuzzClip(f *testing.F) {
	f.Add("# A\n\n- b\x00\u202e", 3)
	f.Add(strings.Repeat("👩\u200d👩\u200d👧 ", 40), 100)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = 2 + (n&0x7fffffff)%400
		got := clip(text, n)
		if utf8.RuneCountInString(got) > n || hostile.Line(got) != got || strings.Contains(got, "  ") {
			t.Fatalf("%q in %d is %q", text, n, got)
		}
	})
}
