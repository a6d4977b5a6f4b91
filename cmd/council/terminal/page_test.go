package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/charmbracelet/x/ansi"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/hostile"
)

const paged = `# A council: shall we?

Some **bold words** and *others*, ` + "`code`" + `, [the document](documentation.md),
	[file.md](file.md) and &lt;b&gt; \*.

- **Vote:** 2 YES, 1 NO, which is what a line that is too long for its list looks like
- two
  1. inner
  2. inner again

> Quoted words of a member that go on and on beyond the width.
>
> - a list in it

| Member | Reason | Event | Size |
|---|---|---|---:|
| Ada Lovelace | It ~~never~~ **always** adds to the motion and takes nothing away. | e1 | 86 |
| 詩人 | ` + "`x`" + ` | e2 | 1,000 |

` + "```" + `
# no heading
func main() { println("a line of code that is wider than forty columns") }
` + "```" + `

## The end
https://example.org/an/address/that/is/wider/than/the/forty/columns/of/this/terminal
`

func TestPage_APageOfFortyColumns(t *testing.T) {
	want := `# A council: shall we?

Some bold words and others, code, the
document (documentation.md), file.md and
<b> *.

• Vote: 2 YES, 1 NO, which is what a
  line that is too long for its list
  looks like
• two
  1. inner
  2. inner again

│ Quoted words of a member that go on
│ and on beyond the width.
│
│ • a list in it

Member        Reason        Event   Size
────────────  ────────────  ─────  ─────
Ada Lovelace  It ~~never~~  e1        86
              always adds
              to the
              motion and
              takes
              nothing
              away.
詩人          x             e2     1,000

    # no heading
    func main() { println("a line of cod
    e that is wider than forty columns")
     }

## The end

https://example.org/an/address/that/is/wider/than/the/forty/columns/of/this/terminal
`
	check.Equal(t, "it", want, Page(paged, 40, false))
	// Colour adds to the words nothing but escape sequences of our own, and takes marks away.
	coloured := Page(paged, 40, true)
	want = "\x1b[1mbold\x1b[0m \x1b[1mwords\x1b[0m and \x1b[3mothers\x1b[0m, \x1b[36mcode\x1b[0m,"
	check.Says(t, coloured, want)
	check.Says(t, coloured, "\x1b[9mnever\x1b[0m")
}

// What is struck at the end of a document may begin a fence instead: its words are shown all the same.
func TestPage_ShowsTheWordsBehindAFence(t *testing.T) {
	for document, want := range map[string]string{"~~~~word ": "    word\n", "```go\nx()\n```\n": "    go\n    x()\n"} {
		check.Equal(t, document, want, Page(document, 40, false))
	}
}

func TestPage_TheHeadOfADocumentIsShownAsItIs(t *testing.T) {
	got := Page("---\nvote: {yes: 2}\n---\n\n# Write ahead\n", 40, false)
	check.Is(t, "it", "vote: {yes: 2}\n\n# Write ahead\n", got)
}

// What members write steers no terminal, takes no long time and loses no word, and no line is wider than the terminal
// unless it is one word.
func TestPage_NoDocumentSteersThePage(t *testing.T) {
	parts := []string{"\x1b[2J", "&#27;[31m", "&#x1b;]0;t&#7;", "\u202e", "a", "word ", "\n", "\n\n", "# ", "> ", "- ",
		"1. ", "| a | b |\n|---|---|\n| ", " | ", "```\n", "~~", "**", "[", "](", "x)", "![", "<b>", "&amp;", "\\", "詩人",
		"    ", "---\n"}
	rapid.Check(t, func(t *rapid.T) {
		document := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(t, "parts"), "")
		plain := Page(document, 40, false)
		if strings.ContainsAny(plain, "\x1b\u202e\x07\r") {
			t.Fatalf("%q is shown as %q", document, plain)
		}
		bare := ansi.Strip(Page(document, 40, true))
		if strings.ContainsAny(bare, "\x1b\u202e\x07\r") {
			t.Fatalf("%q is shown in colour as %q", document, bare)
		}
		whole := strings.NewReplacer(" ", "", "\n", "", "│", "").Replace(plain) // a long line of code is cut within words
		if said, shown := strings.Count(document, "word"), strings.Count(whole, "word"); said > shown {
			t.Fatalf("%q has %d words and is shown with %d: %q", document, said, shown, plain)
		}
	})
	for name, document := range map[string]string{
		"nested quotes": strings.Repeat(strings.Repeat(">", 160)+" x\n", 3),
		"nested lists":  strings.Repeat("- ", 5000) + "x",
		"brackets":      strings.Repeat("[", 50_000),
		"emphasis":      strings.Repeat("*a_ ", 20_000),
		"long":          strings.Repeat("word ", 50_000),
		"a wide table": strings.Repeat("| a ", 300) + "|\n" + strings.Repeat("|---", 300) + "|\n" +
			strings.Repeat("| b ", 300) + "|\n",
	} {
		if got := Page(document, 40, false); !strings.ContainsAny(got, "xwab[") {
			t.Errorf("%s: nothing is shown: %q", name, got)
		}
	}
}

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
