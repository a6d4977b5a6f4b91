package memory

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// citations names sessions in brackets, and links each to its transcript once, at the end. What others wrote
// cannot use such a link: its brackets are escaped.
type citations struct {
	root  string // the way to the folder of the record, as it stands in a link
	known bool   // whether there is one; sessions are named without a link otherwise
	cited []council.SessionID
}

// newCitations cites from the pages of an owner. root is [Book.Root] of the book.
func newCitations(member council.MemberID, root string) *citations {
	way, known := Way(root)
	if member != "" {
		way = path.Join("..", way)
	}
	return &citations{root: destination(way + "/"), known: known}
}

// destination returns a path as it may stand in a link whatever it is called.
func destination(way string) string {
	var b strings.Builder
	for _, c := range []byte(way) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func (c *citations) session(id council.SessionID) string {
	if !c.known || !isPlain(string(id)) {
		return hostile.Inline(string(id))
	}
	if !slices.Contains(c.cited, id) {
		c.cited = append(c.cited, id)
	}
	return "[" + string(id) + "]"
}

// block returns the targets of the links.
func (c *citations) block(indent string) string {
	slices.Sort(c.cited)
	lines := make([]string, len(c.cited))
	for i, id := range c.cited {
		lines[i] = indent + "[" + string(id) + "]: " + c.root + "sessions/" + string(id) + "/transcript.md"
	}
	return strings.Join(lines, "\n")
}
