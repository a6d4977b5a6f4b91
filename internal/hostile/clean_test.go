package hostile

import "testing"

func TestClean(t *testing.T) {
	cases := []struct{ name, in, want string }{
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
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	if got, want := Line(" a\n\tb\r\n\x1bc \n"), "a  b c"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func TestTerminal(t *testing.T) {
	cases := []struct{ name, in, want string }{
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
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Terminal(c.in); got != c.want {
				t.Errorf("Terminal(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestInline(t *testing.T) {
	cases := []struct{ name, in, want string }{
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
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Inline(c.in)
			if got != c.want {
				t.Errorf("Inline(%q) = %q, want %q", c.in, got, c.want)
			}
			requireCell(t, c.in, got)
			requireHeading(t, c.in, got)
		})
	}
}
