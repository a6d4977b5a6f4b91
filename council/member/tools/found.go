package tools

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// safe returns the lines of a file as they may be shown. Secrets are cut from the whole: a few lines of a key, or the
// beginning of one, do not show what they are part of.
func (l *look) safe(lines []string) []string {
	if l.view.cut == nil {
		return lines
	}
	text, found := l.view.cut(strings.Join(lines, "\n"))
	if len(found) == 0 {
		return lines
	}
	return strings.Split(text, "\n")
}

// found counts what was taken out of lines, by kind.
type found struct{ secrets, hidden []council.Found }

func (f *found) add(more found) {
	f.secrets, f.hidden = council.AddFound(f.secrets, more.secrets), council.AddFound(f.hidden, more.hidden)
}

// mark matches the replacement of a secret; see [Cut].
var mark = regexp.MustCompile(`\[cut(?:: ([a-z0-9-]+))?\]`)

// inLine returns what was taken out of a line, of which so much is safe: as many secrets as there are marks more in it,
// and the characters that nobody sees. Those for private use stay in it.
func inLine(line, safe string) found {
	var f found
	if line != safe {
		marks := map[string]int{}
		for _, m := range mark.FindAllStringSubmatch(line, -1) {
			marks[m[1]]--
		}
		for _, m := range mark.FindAllStringSubmatch(safe, -1) {
			if marks[m[1]]++; marks[m[1]] > 0 {
				f.secrets = council.AddFound(f.secrets, []council.Found{{Kind: cmp.Or(m[1], ownSecret), Count: 1}})
			}
		}
	}
	_, hidden := hostile.Expose(strings.TrimSuffix(safe, "\r"))
	for _, h := range hidden {
		if h.Kind != hostile.PrivateUse {
			f.hidden = council.AddFound(f.hidden, []council.Found{{Kind: h.Kind, Count: h.N}})
		}
	}
	return f
}
