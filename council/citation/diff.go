package citation

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// DiffPrefix begins the name of a document that is a diff, before the revision that it was made against.
const DiffPrefix = "diff:"

// hunk is the heading of one change: where it stands in the old file and in the new one.
var hunk = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// The bounds of what is read from one diff: changes, and the numbers of lines.
const (
	maxShown  = 10_000
	maxNumber = 1 << 30
)

// Shown returns the lines that a unified diff shows of each file, by their numbers after the change; of a file that it
// deletes, those before. They are what the headings of its changes claim, and are not checked. What is not a diff shows
// none.
func Shown(diff string) []council.FileLines {
	var out []council.FileLines
	var from, to string // the file's name before the change and after it; "" where there is none
	var old, new int    // lines of the change under way that are still to come
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if old > 0 || new > 0 { // within a change "--- x" is a line that went
			switch {
			case strings.HasPrefix(line, "-"):
				old--
			case strings.HasPrefix(line, "+"):
				new--
			case !strings.HasPrefix(line, `\`):
				old, new = old-1, new-1
			}
			continue
		}
		if m := hunk.FindStringSubmatch(line); m != nil {
			old, new = number(m[2]), number(m[4])
			file, start, lines := to, number(m[3]), new
			if to == "" {
				file, start, lines = from, number(m[1]), old
			}
			if file != "" && 0 < start && start < maxNumber && 0 < lines && lines < maxNumber {
				out = append(out, council.FileLines{File: file, From: start, To: start + lines - 1})
			}
			if len(out) == maxShown {
				break
			}
		} else if name, ok := strings.CutPrefix(line, "--- "); ok {
			from = inDiff(name, "a/")
		} else if name, ok := strings.CutPrefix(line, "+++ "); ok {
			to = inDiff(name, "b/")
		}
	}
	return out
}

// number reads a number of a hunk; none is written for the length of one line.
func number(s string) int {
	n, _ := strconv.Atoi(cmp.Or(s, "1"))
	return n
}

// inDiff reads a file's name from the head of a diff. It is empty for the side on which there is no file.
func inDiff(name, prefix string) string {
	name, _, _ = strings.Cut(name, "\t")
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
	}
	name, _ = strings.CutPrefix(name, prefix)
	if name == "/dev/null" {
		return ""
	}
	return name
}
