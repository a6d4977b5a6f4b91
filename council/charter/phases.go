package charter

import (
	"fmt"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// maxPhaseID is the length of the longest phase id, in characters: ids stand in headings and in every event.
const maxPhaseID = 100

func (c checking) checkPhases(p *problems) {
	switch n := len(c.Phases); {
	case n == 0:
		p.add("/phases", "a council needs at least one phase")
	case n > MaxPhases:
		p.add("/phases", "a council has at most %d phases, not %d", MaxPhases, n)
	}
	seen := map[string]bool{}
	for i, phase := range c.Phases {
		at := fmt.Sprintf("/phases/%d", i)
		p.text(at+"/id", string(phase.ID))
		p.refuse(utf8.RuneCountInString(string(phase.ID)) > maxPhaseID, at+"/id",
			"an id has at most %d characters", maxPhaseID)
		p.unique(at+"/id", "phase", string(phase.ID), seen)
		c.checkPhase(p, at, phase)
	}
	reached := c.reachable()
	for i, phase := range c.Phases {
		p.refuse(!reached[phase.ID] && c.Phase(c.SessionPolicy.EntryPhaseID) != nil, fmt.Sprintf("/phases/%d/id", i),
			"phase %q cannot be reached from the entry phase %q", phase.ID, c.SessionPolicy.EntryPhaseID)
	}
}

func (c checking) checkPhase(p *problems, at string, phase council.Phase) {
	p.text(at+"/goal", phase.Goal)
	c.checkOptions(p, at, phase.Options)
	c.checkGovernance(p, at+"/governance", phase.Governance)
	if phase.Turns != "" {
		p.oneOf(at+"/turns", string(phase.Turns),
			string(council.TurnsOrdered), string(council.TurnsRotate), string(council.TurnsTogether))
	}
	p.between(at+"/stopConditions/maxRounds", phase.StopConditions.MaxRounds, 1, MaxRounds)
	p.between(at+"/stopConditions/maxQuestions", phase.StopConditions.MaxQuestions, 0, MaxRounds)
	if n := phase.MemoryPolicy.MaxChars; n != 0 && phase.ID != c.SessionPolicy.EntryPhaseID {
		p.add(at+"/memoryPolicy/maxChars", "only the entry phase %q may say it: members are told of memory when the "+
			"session opens", c.SessionPolicy.EntryPhaseID)
	} else if n != 0 {
		p.between(at+"/memoryPolicy/maxChars", n, council.MinReminder, council.MaxReminder)
	}
	p.between(at+"/evidenceRequirements/minCitations", phase.EvidenceRequirements.MinCitations, 0, MaxMinCitations)
	seen := map[string]bool{}
	for i, d := range phase.Deliverables {
		where := fmt.Sprintf("%s/deliverables/%d", at, i)
		p.text(where+"/id", d.ID)
		p.unique(where+"/id", "deliverable", d.ID, seen)
		p.text(where+"/description", d.Description)
	}
	gates := map[string]bool{}
	for i, gate := range phase.QualityGates {
		where := fmt.Sprintf("%s/qualityGates/%d", at, i)
		p.text(where, gate)
		p.unique(where, "quality gate", gate, gates)
	}
	for i, guidance := range phase.PromptGuidance {
		p.text(fmt.Sprintf("%s/promptGuidance/%d", at, i), guidance)
	}
	for i, t := range phase.Transitions {
		where := fmt.Sprintf("%s/transitions/%d", at, i)
		c.checkTarget(p, where+"/to", t.To)
		p.oneOf(where+"/when", string(t.When),
			string(council.TriggerMajorityVote), string(council.TriggerRoundLimit), string(council.TriggerAlways))
	}
	c.checkFallback(p, at+"/fallback", phase.Fallback)
}

func (c checking) checkFallback(p *problems, at string, f council.Fallback) {
	p.text(at+"/resolution", f.Resolution)
	p.oneOf(at+"/action", string(f.Action), string(council.FallbackEndSession), string(council.FallbackTransition))
	switch {
	case f.Action == council.FallbackTransition:
		c.checkTarget(p, at+"/transitionToPhaseId", f.TransitionToPhaseID)
	case f.Action == council.FallbackEndSession && f.TransitionToPhaseID != "":
		p.add(at+"/transitionToPhaseId", "the action END_SESSION leads to no phase; remove it, or make the action TRANSITION")
	}
}

func (c checking) checkTarget(p *problems, at string, to council.PhaseID) {
	if to == "" {
		p.add(at, "it must name the phase to go to")
	} else if c.Phase(to) == nil {
		p.add(at, "there is no phase %q", to)
	}
}

// reachable walks the phase graph from the entry phase.
func (c checking) reachable() map[council.PhaseID]bool {
	reached := map[council.PhaseID]bool{}
	frontier := []council.PhaseID{c.SessionPolicy.EntryPhaseID}
	for len(frontier) > 0 {
		id := frontier[0]
		frontier = frontier[1:]
		phase := c.Phase(id)
		if phase == nil || reached[id] {
			continue
		}
		reached[id] = true
		for _, t := range phase.Transitions {
			frontier = append(frontier, t.To)
		}
		if phase.Fallback.Action == council.FallbackTransition {
			frontier = append(frontier, phase.Fallback.TransitionToPhaseID)
		}
	}
	return reached
}
