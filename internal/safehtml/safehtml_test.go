package safehtml_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/safehtml"
)

// attacks would act in a page that shows them as they are.
var attacks = []string{"<script>alert(1)</script>", "<ScRiPt src=//evil.example/x.js></sCrIpT>",
	"<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>",
	"<iframe src='javascript:alert(1)'></iframe>", "<iframe srcdoc='<script>alert(1)</script>'>",
	"<body onload=alert(1)>", "<a href='javascript:alert(1)'>x</a>", "[x](javascript:alert(1))",
	"[x](JaVaScRiPt&#58;alert(1))", "[x](data:text/html;base64,PHNjcmlwdD4=)", "[x](vbscript:msgbox(1))",
	"![x](https://evil.example/leak.png)", "![x](javascript:alert(1))", "<javascript:alert(1)>",
	"[x]: javascript:alert(1)\n\n[x]", "<style>@import url(//evil.example)</style>",
	"<p style='background:url(//evil.example/x)'>x</p>", "<link rel=stylesheet href=//evil.example/x.css>",
	"<meta http-equiv=refresh content='0;url=//evil.example'>", "<base href=//evil.example/>",
	"<form action=//evil.example><input name=x></form>", "<object data=//evil.example/x.swf></object>",
	"<embed src=//evil.example/x>", "<math><mi xlink:href='data:x,<script>alert(1)</script>'></math>",
	"<details open ontoggle=alert(1)>x</details>", "<video><source onerror=alert(1)></video>",
	"</title></style></section><script>alert(1)</script>", "--><script>alert(1)</script><!--",
	"<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">", "`</code><script>alert(1)</script>`",
	"```html\n</code></pre><script>alert(1)</script>\n```", "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
	"<table background=//evil.example/x><tr><td background=//evil.example/x>x", "\x00<scr\x00ipt>alert(1)</script>",
	"&lt;script&gt;alert(1)&lt;/script&gt;", "[x](//evil.example/x)", "# <img/src=x/onerror=alert(1)>",
	"<a\u2028href=javascript:alert(1)>x</a>", "<template><script>alert(1)</script>"}

// plain are the elements that a page may hold in its body, and all of them do nothing.
var plain = strings.Fields("body section p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li pre code em strong del " +
	"table thead tbody tr th td a")

// require fails where a page holds an element or an attribute that could act.
func require(t *testing.T, page string) {
	t.Helper()
	doc := check.Get(html.Parse(strings.NewReader(page)))(t)
	var body *html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "body" {
			body = n
		}
		if n.Type == html.ElementNode && n.Data == "script" {
			t.Fatalf("a script survives in %s", page)
		}
	}
	for n := range body.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(plain, n.Data) {
			t.Errorf("<%s> survives in %s", n.Data, page)
		}
		for _, a := range n.Attr {
			web := strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "http://") ||
				strings.HasPrefix(a.Val, "mailto:")
			still := a.Key == "align" || a.Key == "start" || a.Key == "rel"
			if !still && (a.Key != "href" || n.Data != "a" || !web) {
				t.Errorf("%s=%q of <%s> survives in %s", a.Key, a.Val, n.Data, page)
			}
		}
	}
}

func TestSafehtml_NothingActsInAPage(t *testing.T) {
	for _, attack := range attacks {
		for _, text := range []string{attack, "> " + attack, "- **" + attack + "**", "| a |\n|---|\n| " + attack + " |",
			strings.Repeat("> ", 30) + attack} {
			require(t, string(safehtml.Page(attack, text, "# After\n\n"+attack)))
		}
	}
}

func TestSafehtml_FormStaysAndLinksLeadOut(t *testing.T) {
	got := safehtml.Of("# A\n\n*b* **c** [d](https://example.org/e) [f](g.md)\n\n" +
		"| h | i |\n|---|--:|\n| 1 | 2 |\n\n3. j\n")
	check.Says(t, got, "<h1>A</h1>", "<em>b</em>", "<strong>c</strong>", `<td align="right">2</td>`,
		`<a href="https://example.org/e" rel="nofollow noreferrer">d</a>`, " f</p>", `<ol start="3">`)
}

func TestSafehtml_APageForbidsAllButItsStyle(t *testing.T) {
	page := string(safehtml.Page("A <b>title</b>", "Text."))
	check.Says(t, page, "default-src 'none'; style-src 'sha256-", "<title>A &lt;b&gt;title&lt;/b&gt;</title>",
		"@media print", "prefers-color-scheme: dark")
	if strings.Contains(page, "http://") || strings.Contains(page, "https://") {
		t.Error("the page names an address")
	}
}

func TestSafehtml_WhatIsTooCostlyToParseIsShownAsItIsWritten(t *testing.T) {
	for _, text := range []string{strings.Repeat("*a_ ", 40_000), strings.Repeat(">", 1000) + " x",
		strings.Repeat("a", 2<<20)} {
		if got := safehtml.Of(text + "<script>"); !strings.HasPrefix(got, "<pre>") || strings.Contains(got, "<script>") {
			t.Errorf("%.40s", got)
		}
	}
}
