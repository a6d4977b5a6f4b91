// Package safehtml shows Markdown that models and people wrote as HTML in which nothing acts: no script, no style, no
// image, no form, and no address that is fetched. Exported pages and pages that are served use it.
package safehtml

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/council-engine/council/internal/hostile"
)

// markdown writes tables without styles, which the policy of a page forbids.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Strikethrough,
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))))

// allowedHTML is all that the HTML may hold. Links lead to the web or to a mail address, and only when somebody follows
// them.
var allowedHTML = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "code",
		"em", "strong", "del", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
})

// Of returns Markdown as HTML, for the body of a page. Relative links, and all that is too slow to parse, become text.
func Of(text string) string {
	var b bytes.Buffer
	if text = hostile.Clean(text); hostile.IsCostly(text) || markdown.Convert([]byte(text), &b) != nil {
		return "<pre>" + html.EscapeString(text) + "</pre>\n"
	}
	return allowedHTML().Sanitize(b.String())
}

var (
	//go:embed page.css
	css string
	//go:embed page.html
	pageHead string // the sum of the style, the title and the style go in
)

// Page returns a page that needs nothing beside it: its style prints well, and is light or dark as its reader's system.
// It forbids everything else. The parts of the body are Markdown; empty ones are left out.
func Page(title string, parts ...string) []byte {
	var b bytes.Buffer
	sum := sha256.Sum256([]byte(css))
	fmt.Fprintf(&b, pageHead, base64.StdEncoding.EncodeToString(sum[:]), html.EscapeString(hostile.Line(title)), css)
	for _, part := range parts {
		if part != "" {
			fmt.Fprintf(&b, "<section>\n%s</section>\n", Of(part))
		}
	}
	b.WriteString("</body>\n</html>\n")
	return b.Bytes()
}
