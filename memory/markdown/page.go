package markdown

import (
	"fmt"
	"regexp"
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

// plain matches names that mean nothing but themselves in Markdown and in a path.
var plain = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._\-]*$`)

// code shows a name to be copied.
func code(name string) string {
	if !plain.MatchString(name) {
		return hostile.Inline(name)
	}
	return "`" + name + "`"
}

// session names a session and leads to its transcript.
func session(home string, id council.SessionID) string {
	if !plain.MatchString(string(id)) {
		return hostile.Inline(string(id))
	}
	return fmt.Sprintf("[%s](%ssessions/%s/transcript.md)", id, home, id)
}

// artifact names a file of a session and leads to it.
func artifact(home string, id council.SessionID, file string) string {
	if !plain.MatchString(string(id)) || !plain.MatchString(file) {
		return hostile.Inline(file)
	}
	return fmt.Sprintf("[%s](%ssessions/%s/%s)", file, home, id, file)
}

// each joins names, each as show writes it.
func each(names []string, show func(string) string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = show(name)
	}
	return strings.Join(shown, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
