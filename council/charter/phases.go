package charter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// maxPhaseID is the length of the longest phase id, in characters: ids are part of headings and of every event.
const maxPhaseID = 100

func (c checker) checkPhases(p *problems) {
	switch n := len(c.Phases); {
	case n == 0:
		p.add("/phases", "a council needs at least one phase")
	case n > MaxPhases:
		p.add("/phases", "a council has at most %d phases, not %d", MaxPhases, n)
	}
	seen := map[string]bool{}
	for i, phase := range c.Phases {
		at := fmt.Sprintf("/phases/%d", i)
		p.refuse(phase.Decides && c.DecidingPhase().ID != phase.ID, at+"/decides",
			"phase %q decides already: one phase may", c.DecidingPhase().ID)
		p.text(at+"/id", string(phase.ID))
		p.refuse(utf8.RuneCountInString(string(phase.ID)) > maxPhaseID, at+"/id",
			"an id has at most %d characters", maxPhaseID)
		p.unique(at+"/id", "phase", string(phase.ID), seen)
		c.checkPhase(p, at, phase)
	}
	reached := map[council.PhaseID]bool{}
	c.reach(c.SessionPolicy.EntryPhaseID, reached)
	for i, phase := range c.Phases {
		p.refuse(!reached[phase.ID] && c.Phase(c.SessionPolicy.EntryPhaseID) != nil, fmt.Sprintf("/phases/%d/id", i),
			"phase %q cannot be reached from the entry phase %q", phase.ID, c.SessionPolicy.EntryPhaseID)
	}
}

func (c checker) checkPhase(p *problems, at string, phase council.Phase) {
	p.text(at+"/goal", phase.Goal)
	c.checkGovernance(p, at+"/governance", phase.Governance)
	if phase.Turns != "" {
		oneOf(p, at+"/turns", phase.Turns, council.TurnsOrdered, council.TurnsRotate, council.TurnsTogether)
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
		oneOf(p, where+"/when", t.When, council.TriggerMajorityVote, council.TriggerRoundLimit, council.TriggerAlways)
	}
	c.checkFallback(p, at+"/fallback", phase.Fallback)
}

func (c checker) checkFallback(p *problems, at string, f council.Fallback) {
	p.text(at+"/resolution", f.Resolution)
	oneOf(p, at+"/action", f.Action, council.FallbackEndSession, council.FallbackTransition)
	switch {
	case f.Action == council.FallbackTransition:
		c.checkTarget(p, at+"/transitionToPhaseId", f.TransitionToPhaseID)
	case f.Action == council.FallbackEndSession && f.TransitionToPhaseID != "":
		p.add(at+"/transitionToPhaseId", "the action END_SESSION leads to no phase; remove it, or make the action TRANSITION")
	}
}

func (c checker) checkTarget(p *problems, at string, to council.PhaseID) {
	if to == "" {
		p.add(at, "it must name the phase to go to")
	} else if c.Phase(to) == nil {
		p.add(at, "there is no phase %q", to)
	}
}

// reach adds a phase, and those that it leads to.
func (c checker) reach(id council.PhaseID, reached map[council.PhaseID]bool) {
	phase := c.Phase(id)
	if phase == nil || reached[id] {
		return
	}
	reached[id] = true
	for _, t := range phase.Transitions {
		c.reach(t.To, reached)
	}
	if phase.Fallback.Action == council.FallbackTransition {
		c.reach(phase.Fallback.TransitionToPhaseID, reached)
	}
}

// SetPace changes a charter to the pace that its deliberation names; without one it changes nothing. Done again it
// changes nothing more. Phases are changed in place.
func SetPace(c *council.Charter) {
	deciding, d := c.DecidingPhase(), &c.Deliberation
	if d.Pace != "" && d.Pace != council.PaceAuto {
		d.Seats, d.Spares = 0, nil // all sit
	}
	switch d.Pace {
	case council.PaceAuto:
		if deciding != nil {
			makeAuto(c, *deciding)
		}
	case council.PaceQuick:
		if deciding != nil {
			makeQuick(c, *deciding)
		}
	case council.PaceStandard:
		for i := range c.Phases {
			p := &c.Phases[i]
			if p.ID == deciding.ID {
				p.Turns, p.StopConditions.MaxRounds = council.TurnsOrdered, min(2, p.StopConditions.MaxRounds)
				continue
			}
			p.Turns, p.StopConditions.MaxRounds = council.TurnsTogether, 1
			dropAssessment(p)
		}
		c.Deliberation.ElectWithPositions = c.Deliberation.SealedPositions
	case council.PaceThorough:
		for i := range c.Phases {
			c.Phases[i].Turns = council.TurnsOrdered
		}
	}
}

// The rounds on a difference, the seats and the revisions at the pace auto, unless the charter has fewer.
const (
	autoRounds    = 2
	autoSeats     = 3
	autoRevisions = 1
)

// makeAuto leaves the deciding phase, with a ballot of all seats and at most two rounds on the difference. The goals of
// the other phases, and the deliverables that are required, become guidance; those of other phases become sections.
func makeAuto(c *council.Charter, p council.Phase) {
	guidance := slices.Clone(p.PromptGuidance)
	for _, other := range c.Phases {
		if other.ID != p.ID {
			guidance = append(guidance, other.Goal)
		}
		for _, d := range other.Deliverables {
			if d.Required {
				guidance = append(guidance, d.Description)
			}
			if d.Required && other.ID != p.ID {
				c.DocumentationReview = addSection(c.DocumentationReview, d)
			}
		}
	}
	seen := map[string]bool{}
	p.PromptGuidance = slices.DeleteFunc(guidance, func(line string) bool {
		again := seen[line]
		seen[line] = true
		return again
	})
	p.Deliverables, p.QualityGates, p.EvidenceRequirements = nil, nil, council.EvidenceRequirements{}
	p.StopConditions = council.StopConditions{MaxRounds: min(autoRounds, p.StopConditions.MaxRounds),
		EndOnMajorityVote: true}
	p.Governance = council.Governance{MajorityThreshold: p.Governance.MajorityThreshold, CountOf: quorum.Members,
		Quorum: p.Governance.Quorum}
	if p.Governance.MajorityThreshold.BelowHalf() { // else an absence could let an answer carry
		p.Governance.MajorityThreshold = "0.5"
	}
	c.DocumentationReview.MaxRevisionRounds = min(autoRevisions, c.DocumentationReview.MaxRevisionRounds)
	leaveAlone(c, p)
	d := &c.Deliberation
	d.ContestedOnly, d.Convener = false, false
	for _, setting := range []**bool{&d.AnonymizePeers, &d.HideConfidence, &d.ShuffleOptions} {
		*setting = cmp.Or(*setting, new(true))
	}
	if d.Seats = min(max(cmp.Or(d.Seats, autoSeats), p.Governance.Quorum), len(c.Members)); d.Spares == nil {
		d.Spares = sparesOf(c, d.Seats)
	}
}

// sparesOf returns the members beyond the seats, those of model families that have no seat first.
func sparesOf(c *council.Charter, seats int) []council.MemberID {
	all := c.Seats()
	if seats >= len(all) {
		return nil
	}
	family := func(m council.MemberID) string { return council.ModelFamily(c.Member(m).Model.Model) }
	seated := func(m council.MemberID) int {
		same := func(other council.MemberID) bool { return family(other) == family(m) }
		if slices.ContainsFunc(all[:seats], same) {
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(all[seats:]), func(a, b council.MemberID) int {
		return cmp.Compare(seated(a), seated(b))
	})
}

// addSection adds a required deliverable to the sections of a document that has any, unless one has its name.
func addSection(r council.DocumentationReview, d council.Deliverable) council.DocumentationReview {
	name := strings.ReplaceAll(d.ID, "_", " ")
	heading := strings.ToUpper(name[:1]) + name[1:]
	has := func(section string) bool { return strings.Contains(strings.ToLower(section), strings.ToLower(name)) }
	if len(r.Sections) == 0 || slices.ContainsFunc(r.Sections, has) {
		return r
	}
	r.Sections = append(slices.Clip(r.Sections), heading)
	r.Guidance = append(slices.Clip(r.Guidance), council.Guide{Section: heading, Says: d.Description})
	return r
}

// makeQuick leaves one phase of one round that is held together, positions that elect, and a document without revision.
func makeQuick(c *council.Charter, p council.Phase) {
	dropAssessment(&p)
	p.StopConditions = council.StopConditions{MaxRounds: 1, EndOnMajorityVote: true}
	p.Governance.MaxAmendments = 0
	c.DocumentationReview.MaxRevisionRounds = 0
	leaveAlone(c, p)
}

// leaveAlone makes a phase the only one, held together after positions that elect, with the entry phase's maxChars.
func leaveAlone(c *council.Charter, p council.Phase) {
	if entry := c.Phase(c.SessionPolicy.EntryPhaseID); entry != nil {
		p.MemoryPolicy.MaxChars = entry.MemoryPolicy.MaxChars
	}
	p.Turns, p.Transitions = council.TurnsTogether, nil
	p.Fallback = council.Fallback{Resolution: p.Fallback.Resolution, Action: council.FallbackEndSession}
	c.Phases, c.SessionPolicy.EntryPhaseID = []council.Phase{p}, p.ID
	d := &c.Deliberation
	d.SealedPositions, d.Stances, d.ElectWithPositions = true, true, true
}

// dropAssessment turns the requirements of a phase's assessment into guidance.
func dropAssessment(p *council.Phase) {
	described := council.Map(p.Deliverables, func(d council.Deliverable) string { return d.Description })
	p.PromptGuidance = slices.Concat(p.PromptGuidance, described, p.QualityGates)
	p.Deliverables, p.QualityGates, p.EvidenceRequirements = nil, nil, council.EvidenceRequirements{}
}

// MoveServer returns c with a member's server at another address: for its model, and for those of its fallbacks that
// were at the same one. It changes nothing in c. The error is why the member cannot be asked there.
func MoveServer(c council.Charter, id council.MemberID, address string) (council.Charter, error) {
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
