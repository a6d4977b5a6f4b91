package markdown

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
)

// citations names sessions in brackets, and says at the end once for each where its transcript is. What others wrote
// cannot use such a link: its brackets are escaped.
type citations struct {
	root  string // the way to the folder of the record, as it stands in a link
	known bool   // whether there is one; sessions are named without a link otherwise
	cited []council.SessionID
}

// newCitations cites from the pages of an owner. root is what the book or the archive knows of where the record is.
func newCitations(member council.MemberID, root string) *citations {
	way, known := memory.Way(root)
	if member != "" {
		way = path.Join("..", way)
	}
	link := url.URL{Path: way + "/"}
	return &citations{root: round.Replace(link.EscapedPath()), known: known}
}

// round escapes what ends the destination of a link and may stand in a URL.
var round = strings.NewReplacer("(", "%28", ")", "%29")

func (c *citations) session(id council.SessionID) string {
	if !c.known || !plain.MatchString(string(id)) {
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
		lines[i] = indent + "[" + string(id) + "]: " + c.root + "sessions/" + string(id) + "/transcript.md"
	}
	return strings.Join(lines, "\n")
}
