package names

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"maxRounds", "endOnMajorityVote", "quorum", "general", "architecture", "security"}
	for name, want := range map[string]string{
		"maxRound": "maxRounds", "MAXROUNDS": "maxRounds", "maxRuonds": "maxRounds", "endOnMajority": "endOnMajorityVote",
		"qurum": "quorum", "generl": "general", "architekture": "architecture", "secruity": "security",
		"": "", "banana": "", "x": "", strings.Repeat("q", 10_000): "",
	} {
		got, ok := Nearest(name, slices.Values(known))
		if got != want || ok != (want != "") {
			t.Errorf("Nearest(%.20q) is %q, not %q", name, got, want)
		}
	}
}
