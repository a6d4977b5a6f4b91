package documents

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// The bounds of the list of left-out files: reasons, and characters of a name.
const (
	maxReasons = 20
	maxName    = 200
)

const otherReasons = "it was left out for another reason" // groups the files beyond [maxReasons]

// skipped lists omissions by reason, in the order in which the reasons came up.
type skipped []council.Skipped

// add adds a file or a folder. A size of 0 is not known, or does not matter.
func (s *skipped) add(reason string, f council.LeftFile) {
	find := func() *council.Skipped {
		return council.Find(*s, func(known council.Skipped) bool { return known.Reason == reason })
	}
	if find() == nil && len(*s) >= maxReasons-1 {
		reason = otherReasons
	}
	if find() == nil {
		*s = append(*s, council.Skipped{Reason: reason})
	}
	f.Name = hostile.Shorten(hostile.Line(f.Name), maxName)
	find().Add(f)
}

func (s skipped) count() int {
	n := 0
	for _, one := range s {
		n += one.Count
	}
	return n
}

// String lists the omissions in one line, at most three names a reason.
func (s skipped) String() string {
	var all []string
	for _, one := range s {
		names := one.Named()[:min(len(one.Files), 3)]
		if more := one.Count - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		all = append(all, strings.Join(names, ", ")+": "+one.Reason)
	}
	return strings.Join(all, "; ")
}

// The most that one [Load] reads to count the lines of left-out files: files, and bytes.
const (
	maxCountedFiles = 1000
	maxCounted      = 16 << 20
)

// countLines counts the lines of a file that is left out. It is 0 for binary files, and when too much was counted.
func (l *loader) countLines(fsys fs.FS, name string, size int64) (lines int) {
	if size > maxCounted-l.counted || l.countedFiles >= maxCountedFiles {
		return 0
	}
	l.countedFiles++
	f, err := fsys.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	text := make([]byte, size)
	n, err := io.ReadFull(f, text)
	text = text[:n]
	l.counted += int64(n)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return 0
	}
	lines = bytes.Count(text, []byte("\n"))
	if !bytes.HasSuffix(text, []byte("\n")) {
		lines++
	}
	return lines
}

const noRoomFor = "there is no room for it" // begins the reason for a file that does not fit any more

// IsCrowdedOut reports whether something was left out because other documents took the room.
func IsCrowdedOut(s council.Skipped) bool { return strings.HasPrefix(s.Reason, noRoomFor) }
