package markdown

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// citations names sessions in brackets, and says at the end once for each where its transcript is. What others wrote
// cannot use such a link: its brackets are escaped.
type citations struct {
	home  string // the way to the root of the record, where memory lies in its usual place under it
	cited []council.SessionID
}

func newCitations(member council.MemberID) *citations {
	if member == "" {
		return &citations{home: "../"}
	}
	return &citations{home: "../../"}
}

func (c *citations) session(id council.SessionID) string {
	if !plain.MatchString(string(id)) {
		return hostile.Inline(string(id))
	}
	if !slices.Contains(c.cited, id) {
		c.cited = append(c.cited, id)
	}
	return "[" + string(id) + "]"
}

// block says where the links lead.
func (c *citations) block(indent string) string {
	slices.Sort(c.cited)
	lines := make([]string, len(c.cited))
	for i, id := range c.cited {
		lines[i] = indent + "[" + string(id) + "]: " + c.home + "sessions/" + string(id) + "/transcript.md"
	}
	return strings.Join(lines, "\n")
}
