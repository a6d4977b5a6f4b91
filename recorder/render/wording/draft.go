package wording

import (
	"strings"

	"github.com/council-engine/council/internal/hostile"
)

// Sections lists the headings of a document, for orientation: those that begin with # outside code. Each is Markdown on one
// line, between quotation marks.
func Sections(markdown string) []string {
	var out []string
	code := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			code = !code
		}
		words, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if words = hostile.Line(words); ok && !code && line[0] == '#' && words != "" {
			out = append(out, Quoted(words, 80))
		}
		if len(out) == 30 {
			return append(out, "…")
		}
	}
	return out
}

// Opening is a document from its first line that is not a heading.
func Opening(markdown string) string {
	rest := strings.TrimLeft(markdown, "\r\n\t ")
	for strings.HasPrefix(rest, "#") {
		_, after, _ := strings.Cut(rest, "\n")
		rest = strings.TrimLeft(after, "\r\n\t ")
	}
	if rest == "" {
		return markdown
	}
	return rest
}
