package rules

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// byLot returns the members in an order that is drawn for one matter of the session: "election", or a motion's id. It
// follows from the session's id alone: members stand in the order of the SHA-256 of session, matter and member, each
// followed by a line feed, in hexadecimal.
func (s *Session) byLot(matter string, members []council.MemberID) []council.MemberID {
	lot := make(map[council.MemberID]string, len(members))
	for _, m := range members {
		lot[m] = council.Digest(string(s.id) + "\n" + matter + "\n" + string(m) + "\n")
	}
	drawn := slices.Clone(members)
	slices.SortFunc(drawn, func(a, b council.MemberID) int { return strings.Compare(lot[a], lot[b]) })
	return drawn
}
