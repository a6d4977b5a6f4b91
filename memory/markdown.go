package memory

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// page collects blocks of Markdown, with a blank line between them.
type page struct{ strings.Builder }

func (p *page) block(text string) {
	if text == "" {
		return
	}
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(text)
	p.WriteByte('\n')
}

// sealMark begins the last line of a page: the SHA-256 of what stands before it.
const sealMark = "<!-- written by council: "

// sealed returns the page with a last line by which [Unedited] knows it again.
func (p *page) sealed() []byte {
	return fmt.Appendf(nil, "%s\n%s%s-->\n", p, sealMark, council.Digest(p.String()))
}

// Unedited reports whether a text is a page as it was rendered once, of whatever book or member.
func Unedited(text []byte) bool {
	words, mark, ok := bytes.Cut(text, []byte("\n"+sealMark))
	return ok && string(mark) == council.Digest(string(words))+"-->\n"
}

// code shows a name to be copied.
func code(name string) string {
	if !isPlain(name) {
		return hostile.Inline(name)
	}
	return "`" + name + "`"
}

// each joins names, each as show writes it.
func each(names []string, show func(string) string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = show(name)
	}
	return strings.Join(shown, ", ")
}
