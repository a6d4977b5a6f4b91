package documents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// The bounds of what is listed as left out: reasons, names for each, and runes of a name.
const (
	maxReasons = 20
	maxNames   = 20
	maxName    = 200
)

// otherReasons takes what is left out for yet another reason.
const otherReasons = "it was left out for another reason"

// skipped is what was left out, by reason, in the order in which the reasons came up.
type skipped []council.Skipped

// add counts a file or a folder. Its size is 0 where it does not matter or is not known.
func (s *skipped) add(name, reason string, size int64) {
	at := func(reason string) int {
		return slices.IndexFunc(*s, func(known council.Skipped) bool { return known.Reason == reason })
	}
	i := at(reason)
	if i < 0 && len(*s) >= maxReasons-1 {
		reason = otherReasons
		i = at(reason)
	}
	if i < 0 {
		i = len(*s)
		*s = append(*s, council.Skipped{Reason: reason})
	}
	one := &(*s)[i]
	one.Count++
	one.Bytes += size
	if len(one.Names) < maxNames {
		one.Names = append(one.Names, hostile.Shorten(hostile.Line(name), maxName))
	}
}

// count returns how many were left out so far.
func (s skipped) count() int {
	n := 0
	for _, one := range s {
		n += one.Count
	}
	return n
}

const noRoomFor = "there is no room for it"

// noRoom returns why something is left out that does not fit any more. It names both limits, whichever it was.
func (l *loader) noRoom() string {
	return fmt.Sprintf(noRoomFor+": folders and patterns bring at most %d files, and all documents have at most %s",
		l.limits.Files, size(l.limits.Total))
}

// Crowded reports whether something was left out because other documents took the room.
func Crowded(s council.Skipped) bool { return strings.HasPrefix(s.Reason, noRoomFor) }
