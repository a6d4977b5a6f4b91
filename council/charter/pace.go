package charter

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
)

// Pace changes a charter to the pace that its deliberation names; without one it changes nothing. Done again it changes
// nothing more. Phases are changed in place.
func Pace(c *council.Charter) {
	decides := func(p council.Phase) bool { // a motion that carries in it leads to no other phase
		return !slices.ContainsFunc(p.Transitions, func(t council.Transition) bool {
			return t.When != council.TriggerRoundLimit
		})
	}
	last := len(c.Phases) - 1
	if i := slices.IndexFunc(c.Phases, decides); i >= 0 {
		last = i
	}
	switch c.Deliberation.Pace {
	case council.PaceQuick:
		if last >= 0 {
			quicken(c, c.Phases[last])
		}
	case council.PaceStandard:
		for i := range c.Phases {
			p := &c.Phases[i]
			if i == last || decides(*p) {
				p.Turns, p.StopConditions.MaxRounds = council.TurnsOrdered, min(2, p.StopConditions.MaxRounds)
				continue
			}
			p.Turns, p.StopConditions.MaxRounds = council.TurnsTogether, 1
			unassess(p)
		}
		c.Deliberation.ElectWithPositions = c.Deliberation.SealedPositions
	case council.PaceThorough:
		for i := range c.Phases {
			c.Phases[i].Turns = council.TurnsOrdered
		}
	}
}

// quicken leaves one phase of one round that is held together, positions that elect, and a document without revision.
func quicken(c *council.Charter, p council.Phase) {
	if entry := c.Phase(c.SessionPolicy.EntryPhaseID); entry != nil {
		p.MemoryPolicy.MaxChars = entry.MemoryPolicy.MaxChars
	}
	unassess(&p)
	p.Turns, p.Transitions = council.TurnsTogether, nil
	p.StopConditions = council.StopConditions{MaxRounds: 1, EndOnMajorityVote: true}
	p.Governance.MaxAmendments = 0
	p.Fallback = council.Fallback{Resolution: p.Fallback.Resolution, Action: council.FallbackEndSession}
	c.Phases, c.SessionPolicy.EntryPhaseID = []council.Phase{p}, p.ID
	c.DocumentationReview.MaxRevisionRounds = 0
	d := &c.Deliberation
	d.SealedPositions, d.Stances, d.ElectWithPositions = true, true, true
}

// unassess makes guidance of what the leader would have to show of a phase.
func unassess(p *council.Phase) {
	for _, d := range p.Deliverables {
		p.PromptGuidance = append(p.PromptGuidance, d.Description)
	}
	p.PromptGuidance = append(p.PromptGuidance, p.QualityGates...)
	p.Deliverables, p.QualityGates, p.EvidenceRequirements = nil, nil, council.EvidenceRequirements{}
}

// Move returns c with a member's server at another address: for its model, and for those of its fallbacks that were at
// the same one. It changes nothing in c. The error is why the member cannot be asked there.
func Move(c council.Charter, id council.MemberID, address string) (council.Charter, error) {
	i := slices.IndexFunc(c.Members, func(m council.Member) bool { return m.ID == id })
	if i < 0 {
		return c, fmt.Errorf("there is no member %q", id)
	}
	before := c.Members[i].Model
	if k := before.Kind(); k.NoServer || k.Program && before.BaseURL == "" {
		return c, fmt.Errorf("%s is asked at no server, but by the provider %s", id, before.Provider)
	}
	var p problems
	p.text("/baseUrl", address)
	checkAddress(&p, "/baseUrl", address)
	if err := p.err(); err != nil {
		return c, err
	}
	c.Members = slices.Clone(c.Members)
	m := &c.Members[i].Model
	m.BaseURL, m.Fallbacks = address, slices.Clone(m.Fallbacks)
	for j := range m.Fallbacks {
		if f := &m.Fallbacks[j]; f.Provider == before.Provider && f.BaseURL == before.BaseURL {
			f.BaseURL = address
		}
	}
	return c, nil
}
