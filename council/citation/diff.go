package citation

import (
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
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

// Hunk is one change of a unified diff.
type Hunk struct {
	File        string // its name after the change; before it if the diff deletes it; "" if the diff names none
	From, Count int    // the lines of that file which the hunk claims to show; they are not checked
	At          int    // the line of the diff on which Body begins, from 1
	Body        string // its lines, each begun by a sign: added, removed or kept
}

// Hunks reads the changes of a unified diff in their order. What is not a diff has none.
func Hunks(diff string) iter.Seq[Hunk] {
	return func(yield func(Hunk) bool) {
		var from, to string
		var under Hunk
		var old, new int // lines of the hunk under way that are still to come
		number, start, end := 0, 0, 0
		for line := range strings.Lines(diff) {
			number, end = number+1, end+len(line)
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
				if under.Body = diff[start:end]; old <= 0 && new <= 0 && !yield(under) {
					return
				}
				continue
			}
			if m := hunkIn(line); m != nil {
				old, new = count(m[2]), count(m[4])
				under, start = Hunk{File: to, From: first(m[3]), Count: new, At: number + 1}, end
				if to == "" {
					under.File, under.From, under.Count = from, first(m[1]), old
				}
			} else if name, ok := strings.CutPrefix(line, "--- "); ok {
				from = inDiff(name, "a/")
			} else if name, ok := strings.CutPrefix(line, "+++ "); ok {
				to = inDiff(name, "b/")
			}
		}
		if old > 0 || new > 0 {
			yield(under) // it was cut off
		}
	}
}

// Shown returns the lines that a unified diff shows of each file, by their numbers after the change; of a file that it
// deletes, those before.
func Shown(diff string) []council.FileLines {
	var out []council.FileLines
	for h := range Hunks(diff) {
		if h.File != "" && 0 < h.From && h.From < maxNumber && 0 < h.Count && h.Count < maxNumber {
			out = append(out, council.FileLines{File: h.File, From: h.From, To: h.From + h.Count - 1})
		}
		if len(out) == maxShown {
			break
		}
	}
	return out
}

// first reads the number of a hunk's first line; it is 0 where there is none.
func first(s string) int {
	n, _ := strconv.Atoi(s)
	return n
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
