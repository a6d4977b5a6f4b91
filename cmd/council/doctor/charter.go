package doctor

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// checkPhases finds what the charter's own rules let pass: phases that the graph reaches and no session will, and ways
// that are never taken.
func checkPhases(c *council.Charter, found *findings) {
	distance := map[council.PhaseID]int{c.SessionPolicy.EntryPhaseID: 0}
	for frontier := []council.PhaseID{c.SessionPolicy.EntryPhaseID}; len(frontier) > 0; frontier = frontier[1:] {
		phase := c.Phase(frontier[0])
		if phase == nil {
			continue
		}
		for _, to := range ways(phase) {
			if _, known := distance[to]; !known {
				distance[to] = distance[phase.ID] + 1
				frontier = append(frontier, to)
			}
		}
	}
	limit := c.SessionPolicy.MaxPhaseTransitions
	for i, phase := range c.Phases {
		far, reached := distance[phase.ID]
		at := fmt.Sprintf("/phases/%d/id", i)
		switch {
		case !reached:
			found.add(Finding{Code: "phase-never", Severity: Costs, Where: at,
				Problem: fmt.Sprintf("No session comes to phase %q: every way there stands behind another that is always taken.", phase.ID),
				Why:     "What it is to bring would be missing from every result.",
				Do:      "Give the transitions that lead to it a lower priority number, or remove the phase."})
		case far > limit:
			found.add(Finding{Code: "phase-too-far", Severity: Costs, Where: "/sessionPolicy/maxPhaseTransitions",
				Problem: fmt.Sprintf("Phase %q lies %d transitions from the entry phase, and a session makes at most %d.", phase.ID, far, limit),
				Why:     "Every session would end before it.",
				Do:      fmt.Sprintf("Set maxPhaseTransitions to %d or more.", far)})
		}
	}
	checkLoop(c, found)
	for i := range c.Phases {
		checkTransitions(&c.Phases[i], i, found)
	}
}

// ways are the phases that a phase may really be left to.
func ways(p *council.Phase) []council.PhaseID {
	var to []council.PhaseID
	for i := range p.Transitions {
		if hides(p, i) < 0 {
			to = append(to, p.Transitions[i].To)
		}
	}
	if p.Fallback.Action == council.FallbackTransition && !always(p, council.TriggerAlways) {
		to = append(to, p.Fallback.TransitionToPhaseID)
	}
	return to
}

// hides is the transition that is always taken instead of the i-th, or -1: what matches whenever that does, with a lower
// priority, or the same and before it.
func hides(p *council.Phase, i int) int {
	t := p.Transitions[i]
	return slices.IndexFunc(p.Transitions, func(other council.Transition) bool {
		first := other.Priority < t.Priority || other.Priority == t.Priority && slices.Index(p.Transitions, other) < i
		return first && (other.When == council.TriggerAlways || other.When == t.When)
	})
}

// always reports whether some transition has the trigger.
func always(p *council.Phase, when council.Trigger) bool {
	return slices.ContainsFunc(p.Transitions, func(t council.Transition) bool { return t.When == when })
}

func checkTransitions(p *council.Phase, at int, found *findings) {
	for i, t := range p.Transitions {
		if by := hides(p, i); by >= 0 {
			found.add(Finding{Code: "transition-never", Severity: Remark, Where: fmt.Sprintf("/phases/%d/transitions/%d", at, i),
				Problem: fmt.Sprintf("The transition from %q to %q when %s is never taken: transition %d comes before it.", p.ID, t.To, t.When, by),
				Why:     "It reads as if it had an effect.",
				Do:      "Give it a lower priority number than the other, or remove it."})
		}
	}
}

// checkLoop finds phases from which no session ever ends by itself.
func checkLoop(c *council.Charter, found *findings) {
	ends := map[council.PhaseID]bool{}
	for changed := true; changed; {
		changed = false
		for i := range c.Phases {
			p := &c.Phases[i]
			// Without a way that is always taken, a phase may end the session: a resolution that no transition takes up, or the
			// fallback.
			leaves := !always(p, council.TriggerAlways) && (p.Fallback.Action == council.FallbackEndSession || !always(p, council.TriggerMajorityVote)) ||
				slices.ContainsFunc(ways(p), func(to council.PhaseID) bool { return ends[to] })
			if leaves && !ends[p.ID] {
				ends[p.ID], changed = true, true
			}
		}
	}
	if !ends[c.SessionPolicy.EntryPhaseID] && c.Phase(c.SessionPolicy.EntryPhaseID) != nil {
		found.add(Finding{Code: "phase-loop", Severity: Costs, Where: "/phases",
			Problem: fmt.Sprintf("The phases lead in a circle: a session ends only after all %d transitions.", c.SessionPolicy.MaxPhaseTransitions),
			Why:     "Each of them is debated and paid for.",
			Do:      "Let one phase end the session: leave its transitions empty, with the fallback END_SESSION."})
	}
}

// checkVotes finds rules of voting that hardly anything can meet, or too little.
func checkVotes(c *council.Charter, found *findings) {
	for i, p := range c.Phases {
		checkGovernance(c, p.Governance, fmt.Sprintf("/phases/%d/governance", i), fmt.Sprintf("a motion in phase %q", p.ID), found)
	}
	if g := c.DocumentationReview.Governance; g != nil {
		checkGovernance(c, *g, "/documentationReview/governance", "a draft", found)
	}
}

func checkGovernance(c *council.Charter, g council.Governance, at, what string, found *findings) {
	n := len(c.Members)
	rule := quorum.Rule{Members: n, Quorum: g.Quorum, Threshold: g.MajorityThreshold, AbstainCountsAsNo: g.AbstainCountsAsNo}
	few, without := n+1, false // the fewest YES that carry, and whether any count without one member does
	for yes := 0; yes <= n; yes++ {
		for no := 0; yes+no <= n; no++ {
			for abstain := 0; yes+no+abstain <= n; abstain++ {
				absent := n - yes - no - abstain
				if rule.Decide(quorum.Count{Yes: yes, No: no, Abstain: abstain, Absent: absent}) != quorum.Carried {
					continue
				}
				few = min(few, yes)
				without = without || absent > 0
			}
		}
	}
	switch {
	case few > n:
		found.add(Finding{Code: "vote-never", Severity: Stops, Where: at,
			Problem: fmt.Sprintf("%s cannot carry, whatever %d members vote.", sentence(what)[:len(what)], n),
			Why:     "The council could decide nothing.", Do: "Lower majorityThreshold or quorum."})
	case !without:
		field := "majorityThreshold"
		if rule.Required() == n {
			field = "quorum"
		}
		found.add(Finding{Code: "vote-all", Severity: Costs, Where: at + "/" + field,
			Problem: fmt.Sprintf("%s cannot carry when one of the %d members is absent.", sentence(what)[:len(what)], n),
			Why:     "One provider that is down for a minute would defeat it.",
			Do:      fmt.Sprintf("Lower %s so that %d members are enough, unless that is what you want.", field, n-1)})
	case few <= n/2:
		found.add(Finding{Code: "vote-few", Severity: Remark, Where: at,
			Problem: fmt.Sprintf("%s can carry with %d YES of %d members, when the others abstain.", sentence(what)[:len(what)], few, n),
			Why:     "A minority may decide.", Do: "Set abstainCountsAsNo, with a threshold of 0.5 or more, if that is not wanted."})
	}
}
