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
		for _, e := range ends(c.Phase(frontier[0])) {
			if _, known := distance[e.to]; !known && e.to != "" {
				distance[e.to] = distance[frontier[0]] + 1
				frontier = append(frontier, e.to)
			}
		}
	}
	limit := c.SessionPolicy.MaxPhaseTransitions
	for i, phase := range c.Phases {
		far, reached := distance[phase.ID]
		switch {
		case !reached:
			found.add(Finding{Code: "phase-never", Severity: Costs, Where: fmt.Sprintf("/phases/%d/id", i),
				Problem: fmt.Sprintf("No session comes to phase %q: other transitions are always taken before those that lead to "+
					"it.", phase.ID),
				Why: "What it is to bring would be missing from every result.",
				Do:  "Give the transitions that lead to it a lower priority number, or remove the phase."})
		case far > limit:
			found.add(Finding{Code: "phase-too-far", Severity: Costs, Where: "/sessionPolicy/maxPhaseTransitions",
				Problem: fmt.Sprintf("Phase %q lies %d transitions from the entry phase, and a session makes at most %d.", phase.ID,
					far, limit),
				Why: "Every session would end before it.",
				Do:  fmt.Sprintf("Set maxPhaseTransitions to %d or more.", far)})
		}
	}
	checkLoop(c, found)
	for i := range c.Phases {
		checkTransitions(&c.Phases[i], i, found)
	}
}

// end is one way in which a phase may end: where it leads, "" for the end of the session, and by which transition, -1
// for none.
type end struct {
	to  council.PhaseID
	via int
}

// ends returns all the ways in which a phase may end, by rule R14 of the protocol. With endOnMajorityVote a phase ends
// by a vote that carried, or without a resolution; without it a resolution may stand when the rounds run out.
func ends(p *council.Phase) []end {
	if p == nil {
		return nil
	}
	byVote := p.StopConditions.EndOnMajorityVote
	carried := next(p, func(t council.Trigger) bool { return t != council.TriggerRoundLimit || !byVote })
	unresolved := next(p, func(t council.Trigger) bool { return t != council.TriggerMajorityVote })
	if unresolved.via < 0 && p.Fallback.Action == council.FallbackTransition {
		unresolved.to = p.Fallback.TransitionToPhaseID
	}
	return []end{carried, unresolved}
}

func next(p *council.Phase, matches func(council.Trigger) bool) end {
	e := end{via: -1}
	for i, t := range p.Transitions {
		if matches(t.When) && (e.via < 0 || t.Priority < p.Transitions[e.via].Priority) {
			e = end{t.To, i}
		}
	}
	return e
}

func checkTransitions(p *council.Phase, at int, found *findings) {
	for i, t := range p.Transitions {
		if !slices.ContainsFunc(ends(p), func(e end) bool { return e.via == i }) {
			found.add(Finding{Code: "transition-never", Severity: Remark, Where: fmt.Sprintf("/phases/%d/transitions/%d", at, i),
				Problem: fmt.Sprintf("The transition from %q to %q when %s is never taken: others always come before it.", p.ID,
					t.To, t.When),
				Why: "It reads as if it had an effect.",
				Do:  "Give it a lower priority number than the others, or remove it."})
		}
	}
}

func checkLoop(c *council.Charter, found *findings) {
	done := map[council.PhaseID]bool{"": true} // a session that is here may end by itself
	for grown := true; grown; {
		grown = false
		for i := range c.Phases {
			p := &c.Phases[i]
			if !done[p.ID] && slices.ContainsFunc(ends(p), func(e end) bool { return done[e.to] }) {
				done[p.ID], grown = true, true
			}
		}
	}
	if !done[c.SessionPolicy.EntryPhaseID] {
		found.add(Finding{Code: "phase-loop", Severity: Costs, Where: "/phases",
			Problem: fmt.Sprintf("The phases lead in a circle: a session ends only after all %d transitions.",
				c.SessionPolicy.MaxPhaseTransitions),
			Why: "Each of them is debated and paid for.",
			Do:  "Let one phase end the session: leave its transitions empty, with the fallback END_SESSION."})
	}
}

// checkVotes finds rules of voting that hardly anything can meet, or too little.
func checkVotes(c *council.Charter, found *findings) {
	for i, p := range c.Phases {
		checkGovernance(c, p.Governance, fmt.Sprintf("/phases/%d/governance", i), fmt.Sprintf("A motion in phase %q", p.ID),
			found)
	}
	if g := c.DocumentationReview.Governance; g != nil {
		checkGovernance(c, *g, "/documentationReview/governance", "A draft", found)
	}
}

func checkGovernance(c *council.Charter, g council.Governance, at, what string, found *findings) {
	n := len(c.Members)
	rule := g.Rule(n)
	// fewest is how few YES carry without any NO, which is the best that can happen, and some members are absent.
	fewest := func(absent int) (yes int, ok bool) {
		for yes := 1; yes <= n-absent; yes++ {
			if rule.Decide(quorum.Count{Yes: yes, Abstain: n - absent - yes, Absent: absent}) == quorum.Carried {
				return yes, true
			}
		}
		return 0, false
	}
	few, possible := fewest(0)
	_, robust := fewest(1)
	switch {
	case !possible:
		found.add(Finding{Code: "vote-never", Severity: Stops, Where: at,
			Problem: fmt.Sprintf("%s cannot carry, whatever %d members vote.", what, n),
			Why:     "The council could decide nothing.", Do: "Lower majorityThreshold or quorum."})
	case rule.Needed(n) == n && !rule.Threshold.All():
		also := ""
		if !robust {
			also = ", and it cannot carry when one of them is absent"
		}
		found.add(Finding{Code: "vote-unanimous", Severity: Costs, Where: at + "/majorityThreshold",
			Problem: fmt.Sprintf("%s needs the YES of all %d members: %s of %d, rounded up, is %d%s.", what, n, rule.Threshold,
				n, n, also),
			Why: "One member decides against all others.",
			Do:  fmt.Sprintf("Write majorityThreshold \"%d/%d\" for %d of %d, or 1 if you mean all.", n-1, n, n-1, n)})
	case !robust:
		field := "majorityThreshold"
		if rule.Required() == n {
			field = "quorum"
		}
		found.add(Finding{Code: "vote-all", Severity: Costs, Where: at + "/" + field,
			Problem: fmt.Sprintf("%s cannot carry when one of the %d members is absent.", what, n),
			Why:     "One provider that is down for a minute would defeat it.",
			Do:      fmt.Sprintf("Lower %s so that %d members are enough, unless that is what you want.", field, n-1)})
	case max(few, rule.Required()) <= n/2:
		found.add(Finding{Code: "vote-few", Severity: Remark, Where: at + "/quorum",
			Problem: fmt.Sprintf("%s can carry by the ballots of %d of %d members.", what, max(few, rule.Required()), n),
			Why:     "When the others cannot be reached, a minority decides.",
			Do:      "Raise quorum, or leave it out: then it is a majority of the members."})
	}
}
