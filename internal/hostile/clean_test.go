package hostile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

type textCase struct{ name, in, want string }

func checkCases(t *testing.T, make func(string) string, cases []textCase) {
	t.Helper()
	for _, c := range cases {
		check.Equal(t, c.name, c.want, make(c.in))
	}
}

func TestClean(t *testing.T) {
	cases := []textCase{
		{"plain", "one\ttwo\nthree", "one\ttwo\nthree"},
		{"bell and backspace", "a\a\bb", "ab"},
		{"C1 control", "a\u009b31mb", "a31mb"},
		{"right to left override", "\u202eabc", "abc"},
		{"isolates", "\u2066a\u2069", "a"},
		{"marks of direction", "a\u200e\u200fb\u061cc", "abc"},
		{"soft hyphen", "co\u00adoperate", "cooperate"},
		{"word joiner", "a\u2060b", "ab"},
		{"zero-width space", "a\u200bb", "ab"},
		{"byte order mark", "\ufeffa", "a"},
		{"tags that spell a word", "a\U000e0065\U000e0076\U000e007f", "a"},
		{"variation selectors that carry bytes", "x\ufe00\ufe01\U000e0100\U000e0101", "x\ufe00"},
		{"Hangul fillers", "a\u115f\u1160\u3164\uffa0b", "ab"},
		{"blank Braille", "a\u2800b", "ab"},
		{"grapheme joiner", "a\u034fb", "ab"},
		{"interlinear annotation", "a\ufff9b\ufffbc", "abc"},
		{"noncharacter", "a\ufffeb\U0010ffff", "ab"},
		{"joiner between letters", "क्\u200dष नमی\u200cخواهم", "क्\u200dष नमی\u200cخواهم"},
		{"joiner at the edges", "\u200da \u200c b\u200d", "a  b"},
		{"joiners in a row", "a\u200d\u200d\u200db", "a\u200db"},
		{"joiner within an emoji", "👩\u200d🚀", "👩\u200d🚀"},
		{"Arabic number sign is drawn", "\u0600١", "\u0600١"},
		{"broken UTF-8", "a\xc3(", "a\uFFFD("},
		{"surrogate in UTF-8", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"line ends", "a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"},
		{"combining accents stay", "e\u0301", "e\u0301"},
	}
	checkCases(t, Clean, cases)
}

func TestLine(t *testing.T) {
	check.Equal(t, "the line", "a  b c", Line(" a\n\tb\r\n\x1bc \n"))
}

func TestTerminal(t *testing.T) {
	cases := []textCase{
		{"plain", "one\ntwo", "one\ntwo"},
		{"colour", "\x1b[1;31mred\x1b[0m!", "red!"},
		{"clear screen and home", "a\x1b[2J\x1b[Hb", "ab"},
		{"window title", "\x1b]0;owned\x07text", "text"},
		{"link", "\x1b]8;;https://x.org\x1b\\click\x1b]8;;\x1b\\", "click"},
		{"device string", "\x1bPq#0;2\x1b\\a", "a"},
		{"open string ends with its line", "\x1b]0;open\nnext", "\nnext"},
		{"reset", "\x1bca", "a"},
		{"eight-bit sequence", "\u009b31mred", "31mred"},
		{"raw eight-bit byte", "\x9b31m", "\uFFFD31m"},
		{"overwriting by a carriage return", "safe\rowned", "safe\nowned"},
		{"tab", "a\tb", "a    b"},
		{"sequence within a sequence", "\x1b\x1b[31m[0mx", "[0mx"},
	}
	checkCases(t, Terminal, cases)
}

func TestInline(t *testing.T) {
	cases := []textCase{
		{"plain", "Ada Lovelace", "Ada Lovelace"},
		{"two lines", "one\n# two", "one # two"},
		{"hash first", "# one", `\# one`},
		{"hashes last", "one ##", `one \##`},
		{"a language", "C#", "C#"},
		{"pipe", "a | b", `a \| b`},
		{"escaped pipe", `a \| b`, `a \\\| b`},
		{"rule of a table", "|---|", `\|---\|`},
		{"emphasis", "**a** _b_", `\*\*a\*\* \_b\_`},
		{"code", "`a|b`", "\\`a\\|b\\`"},
		{"HTML", "<b>a</b>", `\<b>a\</b>`},
		{"link", "[a](https://x.org)", `\[a\](https://x.org)`},
		{"item", "1. one", `1\. one`},
		{"nothing", " \n ", ""},
	}
	checkCases(t, Inline, cases)
	for _, c := range cases {
		requireCell(t, c.in, Inline(c.in))
		requireHeading(t, c.in, Inline(c.in))
	}
}

func TestCode(t *testing.T) {
	cases := []textCase{
		{"a line", "one", "```\none\n```"},
		{"two lines and blank ones around", "\n\none\n\n  two\n", "```\none\n\n  two\n```"},
		{"a fence", "```\n# x\n```", "````\n```\n# x\n```\n````"},
		{"what cannot be seen", "a\u202eb\x1b", "```\nab\n```"},
		{"nothing", " \n\t\u200b\n", ""},
	}
	checkCases(t, Code, cases)
	for _, c := range append(proseCases, textCase{"backticks", strings.Repeat("`", 220), ""}) {
		if p := structure(Code(c.in)); len(p) > 0 {
			t.Errorf("Code(%q) has: %s", c.in, strings.Join(p, "; "))
		}
	}
}

func TestClean_JSON(t *testing.T) {
	for _, in := range []string{"plain", "Größe 東京 👩\u200d🚀", "\u202eabc\u202c", "\u009b31m", "\x7f",
		"x\U000e0041\ufe0f", "a\u2028b\n\tc", "\U0001d173"} {
		encoded := check.Get(json.Marshal(in))(t)
		out := JSON(encoded)
		var back string
		if err := json.Unmarshal(out, &back); err != nil || back != in {
			t.Errorf("%q came back as %q (%v) from %s", in, back, err, out)
		}
		for _, r := range string(out) {
			if isInvisible(r) || isSelector(r) {
				t.Errorf("%q still shows %U: %s", in, r, out)
			}
		}
	}
	check.Equal(t, "a tag", "[\n  \"\\udb40\\udc41\"\n]", string(JSON([]byte("[\n  \"\U000e0041\"\n]"))))
}

func TestClean_ShortenCountsCharacters(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"four", 4, "four"}, {"fïve5", 4, "fïv…"}, {"two words", 5, "two…"}, {"", 1, ""}, {"数据库", 2, "数…"},
	} {
		check.Equal(t, test.text, test.want, Shorten(test.text, test.n))
	}
}

func TestClean_HeadCountsBytes(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "", 2: "ï", 3: "ïx", 9: "ïx"} {
		check.Equal(t, fmt.Sprint("a head of ", n), want, Head("ïx", n))
	}
}
