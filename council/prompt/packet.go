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
	data := struct {
		Phase    *council.Phase
		Vote     majority
		Standard bool
		Evidence []string
		Exits    []string
		Graph    []node

		ContestedOnly bool
	}{Phase: phase, Vote: majorityOf(c, phase.Governance), ContestedOnly: c.Deliberation.ContestedOnly}
	if verbosity := c.SessionPolicy.PhaseContextVerbosity; verbosity != council.VerbosityMinimal {
		data.Standard, data.Evidence, data.Exits = true, evidence(phase), exits(phase)
		if verbosity == council.VerbosityFull {
			data.Graph = graph(c)
		}
	}
	return words("packet", data)
}

// node is one phase in the graph of all.
type node struct {
	ID    council.PhaseID
	Goal  string
	Exits []string
}

func graph(c *council.Charter) []node {
	nodes := make([]node, len(c.Phases))
	for i := range c.Phases {
		phase := &c.Phases[i]
		nodes[i] = node{ID: phase.ID, Goal: phase.Goal, Exits: exits(phase)}
	}
	return nodes
}

// exits tells where a phase may lead, one sentence for each way.
func exits(phase *council.Phase) []string {
	var ways []string
	for _, t := range phase.Transitions {
		ways = append(ways, words("exit-transition", t))
	}
	return append(ways, words("exit-fallback", phase.Fallback))
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
