package prompt

import (
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// packet returns the phase context packet: what a member is told about a phase, as much as the charter's verbosity
// wants.
func packet(c *council.Charter, phase *council.Phase) string {
	if phase == nil {
		return ""
	}
	return words("packet", struct {
		Charter *council.Charter
		Phase   *council.Phase
		Vote    majority
	}{c, phase, majorityOf(c, phase.Governance)})
}

// evidence tells what the leader's assessment of a phase must bring.
func evidence(phase *council.Phase) []string {
	var needs []string
	need := phase.EvidenceRequirements
	switch {
	case need.MinCitations == 1:
		needs = append(needs, "1 citation")
	case need.MinCitations > 1:
		needs = append(needs, strconv.Itoa(need.MinCitations)+" citations")
	}
	if need.RequireExplicitAssumptions {
		needs = append(needs, "the assumptions, stated as such")
	}
	if need.RequireRiskRegister {
		needs = append(needs, "a register of risks and what is done against each")
	}
	return needs
}

// majority says when a vote carries.
type majority struct {
	Second  bool // a motion needs a seconder
	Needs   string
	CountOf quorum.CountOf
	Quorum  int  // valid ballots
	Unusual bool // the charter sets a quorum of its own
}

func majorityOf(c *council.Charter, g council.Governance) majority {
	rule := g.Rule(len(c.Members))
	return majority{
		Second: g.RequireSeconding, Needs: rule.Words(), CountOf: g.CountOf, Quorum: rule.Required(), Unusual: g.Quorum > 0,
	}
}
