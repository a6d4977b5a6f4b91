package passage

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council/citation"
)

// changes splits a diff along the lines that it adds: each run of them is read as what it is in its file. A diff that adds
// nothing gives what it takes away. What git says of files and revisions is nothing to quote.
func changes(diff string) []Passage {
	if out := signed(diff, "+"); len(out) > 0 {
		return out
	}
	return signed(diff, "-")
}

// enough statements to quote: bare code is then left out, as it is of program text.
const enough = 10

// signed reads the lines of a diff that begin with a sign.
func signed(diff, sign string) []Passage {
	var out []Passage
	for h := range citation.Hunks(diff) {
		var run strings.Builder
		begin, number := 0, h.At-1
		flush := func() {
			for _, p := range split(h.File, run.String()) {
				p.Line += begin - 1
				out = append(out, p)
			}
			run.Reset()
		}
		for line := range strings.Lines(h.Body) {
			number++
			rest, ok := strings.CutPrefix(line, sign)
			if !ok {
				flush()
				continue
			}
			if run.Len() == 0 {
				begin = number
			}
			run.WriteString(rest)
		}
		flush()
		if len(out) >= maxPassages {
			break
		}
	}
	if statements(out) >= enough {
		out = slices.DeleteFunc(out, func(p Passage) bool { return p.Form == Fragment })
	}
	return out
}
