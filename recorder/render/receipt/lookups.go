package receipt

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/render/artifact"
)

// lookups says how often tools were called, by whom, and what came of it.
func lookups(of []artifact.Lookups, name func(council.MemberID) string) string {
	var all artifact.Lookups
	var by []string
	for _, n := range of {
		all.Calls, all.Failed, all.Bytes = all.Calls+n.Calls, all.Failed+n.Failed, all.Bytes+n.Bytes
		by = append(by, fmt.Sprintf("%s %d", name(n.Member), n.Calls))
	}
	return fmt.Sprintf("%s of tools (%s), of which %d failed; %s bytes came back",
		plural.Things(all.Calls, "call"), strings.Join(by, ", "), all.Failed, plural.Thousands(all.Bytes))
}
