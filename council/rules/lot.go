package rules

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// byLot returns members, or options, in an order that is drawn for one matter of the session: "election", or a motion's
// id. It follows from the session's id alone: they stand in the order of the SHA-256 of session, matter and member or
// option, each followed by a line feed, in hexadecimal.
func byLot[T ~string](id council.SessionID, matter string, all []T) []T {
	lot := make(map[T]string, len(all))
	for _, one := range all {
		lot[one] = council.Digest(string(id) + "\n" + matter + "\n" + string(one) + "\n")
	}
	drawn := slices.Clone(all)
	slices.SortFunc(drawn, func(a, b T) int { return strings.Compare(lot[a], lot[b]) })
	return drawn
}
