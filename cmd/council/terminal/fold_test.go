package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/hostile"
)

func TestFold(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"short": {"Kim: yes.\n", "Kim: yes.\n"},
		"between words": {"Kim: It has run for years, and nobody has complained.",
			"Kim: It has run for years, and\n      nobody has complained."},
		"what is set in": {"       It has run for years, and nobody complains.",
			"       It has run for years,\n       and nobody complains."},
		"an address": {"See https://example.org/a/very/long/address/indeed now",
			"See https://example.org/a/very/long/address/indeed\n      now"},
		"at the beginning": {"https://example.org/a/very/long/address/indeed",
			"https://example.org/a/very/long/address/indeed"},
		"blank lines": {"\n\nKim:\n", "\n\nKim:\n"},
		"exactly":     {"123456789 123456789 1234567890", "123456789 123456789 1234567890"},
		"a quotation": {"> It has run for years, and nobody has complained.",
			"> It has run for years, and\n> nobody has complained."},
		"other spaces": {"Kim: It\u00a0has\u00a0run\u2003for\u00a0years,\u00a0The\u00a0motion: carried",
			"Kim: It has run for years, The\n      motion: carried"},
		"wide letters":     {"採用 採用 採用 採用 採用 採用 採用 採用", "採用 採用 採用 採用 採用 採用\n      採用 採用"},
		"spaces at an end": {"123456789 123456789 1234567890   \n", "123456789 123456789 1234567890   \n"},
	} {
		check.Is(t, name, test.want, Fold(test.text, narrowest))
	}
	long := strings.Repeat("word ", 50)
	check.Is(t, "a text for an unknown width", long, Fold(long, 0))
}

// Whatever somebody writes, at no width does a folded line of it begin where ours do.
func FuzzFold(f *testing.F) {
	f.Add("Kim: well, I think that YES      Bob: I agree with all of it", 40)
	f.Add("a\n\n  b c", 31)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if !utf8.ValidString(text) || width > 1000 {
			return
		}
		folded := Fold(text, width)
		if strings.Join(strings.Fields(folded), " ") != strings.Join(strings.Fields(text), " ") {
			t.Errorf("words are lost: %q", folded)
		}
		shallow := func(s string) (n int) {
			for line := range strings.Lines(s) {
				shallow := len(line)-len(strings.TrimLeft(line, " ")) < len(hostile.Inset)
				if shallow && !strings.HasPrefix(strings.TrimLeft(line, " "), ">") && strings.TrimSpace(line) != "" {
					n++
				}
			}
			return n
		}
		if shallow(folded) > shallow(text) {
			t.Errorf("width %d: a line begins where ours do: %q", width, folded)
		}
	})
}
