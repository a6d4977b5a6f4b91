package counciltest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Lot returns the order of members that docs/protocol.md draws for a matter of a session: "election", or a motion's id.
func Lot(session, matter string, members ...string) []string {
	drawn := func(member string) string {
		sum := sha256.Sum256([]byte(session + "\n" + matter + "\n" + member + "\n"))
		return hex.EncodeToString(sum[:])
	}
	slices.SortFunc(members, func(a, b string) int { return strings.Compare(drawn(a), drawn(b)) })
	return members
}
