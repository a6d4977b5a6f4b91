package hostile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/internal/check"
)

// proseCases are texts as members write them, honest and not. An empty want is not compared.
var proseCases = []textCase{
	// Honest text keeps its form.
	{"plain words", "We should ship it.", "We should ship it."},
	{"two paragraphs", "One.\n\nTwo.", "One.\n\nTwo."},
	{"emphasis", "This is **important** and *new*.", "This is **important** and *new*."},
	{"underscored emphasis", "_new_ and __old__", "*new* and **old**"},
	{"names with underscores", "use snake_case_names", "use snake_case_names"},
	{"code span", "call `f(x)` <b>now", "call `f(x)` \\<b>now"},
	{"code span with HTML", "`<script>`", "`<script>`"},
	{"code span with backticks", "`` a`b ``", "``a`b``"},
	{"bullets", "- one\n- two", "- one\n- two"},
	{"loose bullets", "- one\n\n- two", "- one\n\n- two"},
	{"nested bullets", "- one\n  - inner\n- two", "- one\n  - inner\n- two"},
	{"numbers from three", "3. three\n4. four", "3. three\n4. four"},
	{"quote", "> they said", "> they said"},
	{"fenced code", "```go\nx := 1\n```", " ```go\n x := 1\n ```"},
	{"code in a list", "- a\n\n  ```\n  x\n  ```", "- a\n\n  ```\n  x\n  ```"},
	{"web link", "see [the docs](https://example.org/a_b?q=1#x)", "see [the docs](https://example.org/a_b?q=1#x)"},
	{"automatic link", "<https://example.org>", "<https://example.org>"},
	{"citations", "As [e12] and [e3, e4] say", "As [e12] and [e3, e4] say"},
	{"comparisons", "a < b && c > d, 2 * 3 ~5 ms", "a < b && c > d, 2 * 3 ~5 ms"},
	{"line break", "one\\\ntwo", "one\\\ntwo"},
	{"backslashes", `C:\dir and \*stars\*`, `C:\dir and \*stars\*`},
	{"other scripts", "Größe, 東京, العربية, हिन्दी", "Größe, 東京, العربية, हिन्दी"},
	{"an emoji family", "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3", "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3"},

	// Forged structure.
	{"heading", "# Decision\n\ntext", "**Decision**\n\ntext"},
	{"heading with an event id", "### e99", "**e99**"},
	{"heading with emphasis", "## The *big* `one`", "**The big one**"},
	{"empty heading", "#\n\ntext", "text"},
	{"underlined heading", "Decision\n===", "**Decision**"},
	{"heading underlined by dashes", "Decision\n---", "**Decision**"},
	{"heading in a list", "- # Decision", "- **Decision**"},
	{"heading in a quote", "> # Decision", "> **Decision**"},
	{"heading in a quote in a list", "1. > ## Decision", "1. > **Decision**"},
	{"heading by a reference", "&#35; Decision", `\# Decision`},
	{"heading by an escaped hash", `\# Decision`, `\# Decision`},
	{"rule", "a\n\n***\n\nb", "a\n\nb"},
	{"rule by references", "a\n\n&#42;&#42;&#42;", "a\n\n\\*\\*\\*"},
	{"table", "| who | vote |\n|---|---|\n| Ada | YES |", " ```\n | who | vote |\n |---|---|\n | Ada | YES |\n ```"},
	{"table without outer pipes", "who | vote\n--- | ---\nAda | YES", ""},
	{"table by references", "who | vote\n&#45;-- | ---", "who | vote\n\\--- | ---"},
	{"table of one column", "who\n:-:", "who\n\\:-:"},
	{"HTML block", "<div>\n# x\n</div>", "\\<div>\n\n**x**\n\n\\</div>"},
	{"script", "<script>alert(1)</script>", `\<script>alert(1)\</script>`},
	{"comment", "<!-- hidden -->", `\<!-- hidden -->`},
	{"open comment", "a <!-- b", `a \<!-- b`},
	{"processing instruction", "<?php x", `\<?php x`},
	{"CDATA", "<![CDATA[ x", ""},
	{"HTML by references", "&lt;b&gt;", `\<b>`},
	{"image", "![a cat](https://example.org/c.png)", "\\[image: a cat] `https://example.org/c.png`"},
	{"image by an escaped mark", `\![a](https://example.org)`, `\![a](https://example.org)`},
	{"image in a link", "[![a](https://x.org/i)](https://x.org)", "[a](https://x.org)"},
	{"script link", "[click](javascript:alert(1))", "click (javascript:alert(1))"},
	{"data link", "<data:text/html,x>", ""},
	{"link to a file of the record", "[documentation.md](evil.md)", "documentation.md (evil.md)"},
	{"link whose words hold a bracket", `[a\](b](https://x.org)`, ""},
	{"link definition", "[e12]: https://x.org 'hidden'", ""},
	{"footnote", "see[^1]\n\n[^1]: hidden", ""},
	{"task list", "- [ ] todo\n- [x] done", ""},
	{"definition list", "term\n: meaning", "term\n\\: meaning"},
	{"open fence", "```\ncode", " ```\n code\n ```"},
	{"open tilde fence", "~~~~ md\n# x", ""},
	{"fence that closes ours", "````\n```\n# x\n````", " ````\n ```\n # x\n ````"},
	{"fence with a hostile language", "```x`y <b>\ncode\n```", ""},
	{"indented code", "    # not a heading", " ```\n # not a heading\n ```"},
	{"open code span", "a ` b", "a \\` b"},
	{"open emphasis", "a ** b *c", ""},
	{"open quote", ">", ""},
	{"empty list items", "-\n-\n- ", ""},
	{"rule in a list", "- ---", ""},
	{"list of rules", "- - -", ""},
	{"numbers beyond counting", "999999999. a\n1. b\n1. c", "999999999. a\n999999999. b\n999999999. c"},
	{"number that is not an item", "1986\\. A great year", `1986\. A great year`},

	// Invisible characters.
	{"terminal escape", "\x1b[31mred\x1b[0m", `\[31mred\[0m`},
	{"bidi override", "ab\u202edc\u202c", "abdc"},
	{"bidi by a reference", "ab&#x202e;dc", "abdc"},
	{"zero width", "a\u200bb\ufeffc", "abc"},
	{"tags", "x\U000e0041\U000e0042", "x"},
	{"NUL and DEL", "a\x00b\x7fc", "abc"},
	{"CRLF and CR", "a\r\nb\rc", "a\nb\nc"},
	{"line separator", "a\u2028# b", "a\n\n**b**"},
	{"broken UTF-8", "a\xffb", "a\uFFFDb"},
	{"nothing", " \n\t\n", ""},
}

func TestProse(t *testing.T) {
	for _, c := range proseCases {
		t.Run(c.name, func(t *testing.T) {
			got := Prose(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" && c.want != "" {
				t.Errorf("Prose(%q) (-want +got):\n%s", c.in, diff)
			}
			requireSound(t, c.in, got)
			check.Is(t, "Prose is stable: , then", got, Prose(got))
		})
	}
}

// Text that would take a parser long, or a reader's patience, loses its form and keeps its words.
func TestProse_FlattensBeyondItsBounds(t *testing.T) {
	cases := map[string]string{
		"quotes a hundred deep":   strings.Repeat(">", 100) + " deep",
		"lists a hundred deep":    strings.Repeat("- ", 100) + "deep",
		"lists by indentation":    steps(40),
		"long text":               strings.Repeat("# word\n\n", 10_000),
		"many open brackets":      strings.Repeat("[a ", 5_000),
		"many open addresses":     strings.Repeat("[a](", 300),
		"lines that grow":         steps(18) + strings.Repeat("a\n", 2_000),
		"many open stars":         strings.Repeat("*a_ ", 5_000),
		"emphasis within itself":  strings.Repeat("*a _b ", 30) + strings.Repeat("c_ d* ", 30),
		"brackets and a heading":  strings.Repeat("[", 5_000) + "\n# word",
		"quotes and then nothing": strings.Repeat("> ", 40) + "\n\n<b>word",
	}
	for name, in := range cases {
		t.Run(name, func(t *testing.T) {
			got := Prose(in)
			requireSound(t, "(long)", got)
			if strings.Contains(got, "\n> ") || strings.HasPrefix(got, "> ") || strings.HasPrefix(got, "- ") {
				t.Errorf("kept its form: %.60q", got)
			}
			if shown(got) != shown(in) {
				t.Errorf("lost words: %.60q", got)
			}
		})
	}
}

func steps(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- step\n")
	}
	return b.String()
}

// No form of ours loses words of an honest or a hostile author.
func TestProse_KeepsEveryWord(t *testing.T) {
	gone := map[string]bool{ // marks that are letters or digits in the source only
		"heading by a reference": true, "rule by references": true, "table by references": true, "HTML by references": true,
		"bidi by a reference": true, "image": true, "image in a link": true, "fence with a hostile language": true,
		"open tilde fence": true, "numbers beyond counting": true, "link whose words hold a bracket": false,
	}
	for _, c := range proseCases {
		if gone[c.name] {
			continue
		}
		if got := Prose(c.in); shown(got) != shown(Clean(c.in)) {
			t.Errorf("%s: %q lost words: %q", c.name, c.in, got)
		}
	}
}
