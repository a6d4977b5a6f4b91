package documents

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is one line of a list.
type pattern struct {
	glob     string // of doublestar
	negated  bool
	folders  bool // matches folders only
	anchored bool // matches the whole path below the list's folder, not the name alone
}

func (p *pattern) matches(rel, name string, folder bool) bool {
	if p.anchored {
		name = rel
	}
	return (folder || !p.folders) && doublestar.MatchUnvalidated(p.glob, name)
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
	line = spaced.ReplaceAllString(line, "$1")
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	// What lies below the folder, and not the folder itself.
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	// Braces mean themselves.
	p.glob = braces.ReplaceAllStringFunc(line, func(found string) string {
		if len(found) == 1 {
			return `\` + found
		}
		return found
	})
	return p, doublestar.ValidatePattern(p.glob)
}

// braces match what is a brace, or escaped.
var braces = regexp.MustCompile(`\\.|[{}]`)

// spaced matches a line with spaces at its end that are not part of the pattern: one that is escaped is.
var spaced = regexp.MustCompile(`^((?:\\.|[^\\])*?) +$`)
