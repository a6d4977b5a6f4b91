package citation

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/council-engine/council/council/tool"
)

// DiffPrefix begins the name of a document that is a diff, before the revision that it was made against.
const DiffPrefix = "diff:"

// hunk is the heading of one change: where it stands in the old file and in the new one.
var hunk = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

func hunkIn(line string) []string {
	if !strings.HasPrefix(line, "@@ ") {
		return nil
	}
	return hunk.FindStringSubmatch(line)
}

// The bounds of what is read from one diff: changes, and the numbers of lines.
const (
	maxShown  = 10_000
	maxNumber = 1 << 30
)

// Shown are the lines that a unified diff shows of each file, by their numbers after the change; of a file that it deletes,
// those before.
func Shown(diff string) []tool.Lines {
	var out []tool.Lines
	show := func(name, first string, n int) {
		if at, err := strconv.Atoi(first); err == nil && name != "" && 0 < at && at < maxNumber && 0 < n && n < maxNumber && len(out) < maxShown {
			out = append(out, tool.Lines{File: name, From: at, To: at + n - 1})
		}
	}
	var from, to string
	var old, new int // lines of the hunk under way that are still to come
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if old > 0 || new > 0 { // within a hunk "--- x" is a line that went
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
		if m := hunkIn(line); m != nil {
			old, new = count(m[2]), count(m[4])
			if name, first, n := to, m[3], new; name != "" {
				show(name, first, n)
			} else {
				show(from, m[1], old)
			}
		} else if name, ok := strings.CutPrefix(line, "--- "); ok {
			from = inDiff(name, "a/")
		} else if name, ok := strings.CutPrefix(line, "+++ "); ok {
			to = inDiff(name, "b/")
		}
	}
	return out
}

// count reads the length of a hunk; none is written for one line.
func count(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
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
