package documents

import (
	"bytes"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is one line of a list.
type pattern struct {
	glob     string // of doublestar
	literal  string // what must be equal, or with suffix what it must end in; empty: glob decides
	suffix   bool
	negated  bool
	folders  bool // matches folders only
	anchored bool // matches the whole path below the list's folder, not the name alone
}

func (p *pattern) matches(rel, name string, folder bool) bool {
	if p.folders && !folder {
		return false
	}
	subject := name
	if p.anchored {
		subject = rel
	}
	switch {
	case p.suffix:
		return strings.HasSuffix(subject, p.literal)
	case p.literal != "":
		return subject == p.literal
	}
	return doublestar.MatchUnvalidated(p.glob, subject)
}

// parse reads a list. A line that is not a pattern matches nothing.
func parse(content []byte) []pattern {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	var out []pattern
	for line := range bytes.Lines(content) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if p, ok := parseLine(string(line)); ok {
			out = append(out, p)
		}
	}
	return out
}

func parseLine(line string) (pattern, bool) {
	var p pattern
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trimSpaces(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	if line == "" {
		return p, false
	}
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	// What lies below the folder, and not the folder itself.
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	rest, star := strings.CutPrefix(line, "*")
	switch {
	case !special(line):
		p.literal = line
	case star && !p.anchored && !special(rest) && rest != "":
		p.literal, p.suffix = rest, true
	default:
		p.glob = translate(line)
		return p, doublestar.ValidatePattern(p.glob)
	}
	return p, true
}

func special(s string) bool { return strings.ContainsAny(s, `*?[\`) }

// trimSpaces cuts the spaces at the end of a line, but for one that is escaped.
func trimSpaces(line string) string {
	for strings.HasSuffix(line, " ") {
		before := line[:len(line)-1]
		slashes := len(before) - len(strings.TrimRight(before, `\`))
		if slashes%2 == 1 {
			return line
		}
		line = before
	}
	return line
}

// translate makes git's pattern one of doublestar's: braces mean themselves, and so does a star beside another within
// a name.
func translate(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '{', '}':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\\':
			b.WriteByte(c)
			if i++; i < len(line) {
				b.WriteByte(line[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
