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

// mark matches the replacement of a secret; see [Cut].
var mark = regexp.MustCompile(`\[cut(?:: ([a-z0-9-]+))?\]`)

// count counts what was taken out of a line, of which so much is safe: as many secrets as there are marks more in it,
// and the characters that nobody sees. Those for private use stay in it.
func (p *page) count(line, safe string) {
	if line != safe {
		marks := map[string]int{}
		for _, m := range mark.FindAllStringSubmatch(line, -1) {
			marks[m[1]]--
		}
		for _, m := range mark.FindAllStringSubmatch(safe, -1) {
			if marks[m[1]]++; marks[m[1]] > 0 {
				p.secrets = council.AddFound(p.secrets, []council.Found{{Kind: cmp.Or(m[1], ownSecret), Count: 1}})
			}
		}
	}
	_, hidden := hostile.Expose(strings.TrimSuffix(safe, "\r"))
	for _, h := range hidden {
		if h.Kind != hostile.PrivateUse {
			p.hidden = council.AddFound(p.hidden, []council.Found{{Kind: h.Kind, Count: h.N}})
		}
	}
}
