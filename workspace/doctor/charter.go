package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/templates"
)

// checkPhases finds phases that the graph reaches but no session does, and transitions that are never taken.
func (x *exam) checkPhases() {
	c, entry := x.c, x.c.SessionPolicy.EntryPhaseID
	distance := map[council.PhaseID]int{entry: 0}
	for frontier := []council.PhaseID{entry}; len(frontier) > 0; frontier = frontier[1:] {
		for _, e := range ends(c.Phase(frontier[0])) {
			if _, known := distance[e.to]; !known && e.to != "" {
				distance[e.to] = distance[frontier[0]] + 1
				frontier = append(frontier, e.to)
			}
		}
	}
	limit := c.SessionPolicy.MaxPhaseTransitions
	for i, phase := range c.Phases {
		if far, reached := distance[phase.ID]; !reached {
			x.find("phase-never", fmt.Sprintf("/phases/%d/id", i), phase.ID)
		} else if far > limit {
			x.find("phase-too-far", "/sessionPolicy/maxPhaseTransitions", phase.ID, far, limit)
		}
	}
	// From the phases that are done a session may end by itself: "" is its end.
	done := map[council.PhaseID]bool{"": true}
	for grown := true; grown; {
		grown = false
		for i := range c.Phases {
			p := &c.Phases[i]
			if !done[p.ID] && slices.ContainsFunc(ends(p), func(e end) bool { return done[e.to] }) {
				done[p.ID], grown = true, true
			}
		}
	}
	if !done[entry] {
		x.find("phase-loop", "/phases", limit)
	}
	for i := range c.Phases {
		p := &c.Phases[i]
		for j, t := range p.Transitions {
			if !slices.ContainsFunc(ends(p), func(e end) bool { return e.via == j }) {
				x.find("transition-never", fmt.Sprintf("/phases/%d/transitions/%d", i, j), p.ID, t.To, t.When)
			}
		}
	}
}

// end is one way in which a phase may end: where it leads, "" for the end of the session, and by which transition, -1
// for none.
type end struct {
	to  council.PhaseID
	via int
}

// ends returns all the ways in which a phase may end, by rule R14 of the protocol. With endOnMajorityVote a phase
// ends by a vote that carried, or without a resolution; without it an earlier resolution may hold when the rounds run
// out.
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

// checkVotes finds rules of voting that hardly anything can meet, or too little.
func (x *exam) checkVotes() {
	for i, p := range x.c.Phases {
		x.checkGovernance(p.Governance, fmt.Sprintf("/phases/%d/governance", i), fmt.Sprintf("A motion in phase %q", p.ID))
	}
	if g := x.c.DocumentationReview.Governance; g != nil {
		x.checkGovernance(*g, "/documentationReview/governance", "A draft")
	}
}

func (x *exam) checkGovernance(g council.Governance, at, what string) {
	n := len(x.c.Members)
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
	few = max(few, rule.Required())
	switch {
	case !possible:
		x.find("vote-never", at, what, n)
	case rule.Needed(n) == n && !rule.Threshold.All():
		also := ""
		if !robust {
			also = ", and it cannot carry when one of them is absent"
		}
		x.find("vote-unanimous", at+"/majorityThreshold", what, n, rule.Threshold, also, n-1)
	case !robust:
		field := "majorityThreshold"
		if rule.Required() == n {
			field = "quorum"
		}
		x.find("vote-all", at+"/"+field, what, n, field, n-1)
	case few <= n/2:
		x.find("vote-few", at+"/quorum", what, n, few)
	}
}

// alikeFrom is the share of common wording from which two members count as alike.
const alikeFrom = 0.5

// checkAlike finds members with similar instructions, which would give similar answers.
func (x *exam) checkAlike() {
	members := x.c.Members
	var pairs [][2]int
	for i := range members {
		for j := range i {
			if alike(members[j].SystemPrompt, members[i].SystemPrompt) >= alikeFrom {
				pairs = append(pairs, [2]int{j, i})
			}
		}
	}
	if n := len(members); len(pairs) == n*(n-1)/2 {
		x.find("members-all-alike", "/members")
		return
	}
	for _, pair := range pairs {
		a, b := members[pair[0]].ID, members[pair[1]].ID
		f := x.find("members-alike", fmt.Sprintf("/members/%d/systemPrompt", pair[1]), a, b)
		f.Members = []council.MemberID{a, b}
	}
}

// alike returns the share of the runs of three words of the shorter of two texts that the other has too.
func alike(a, b string) float64 {
	in, other := runs(a), runs(b)
	if len(in) > len(other) {
		in, other = other, in
	}
	shared := 0
	for run := range in {
		if other[run] {
			shared++
		}
	}
	return float64(shared) / float64(max(1, len(in)))
}

func runs(text string) map[string]bool {
	words := strings.Fields(strings.ToLower(text))
	all := map[string]bool{}
	for i := range words {
		all[strings.Join(words[i:min(i+3, len(words))], " ")] = true
	}
	return all
}

// checkDocument finds sections of the skeleton that the document is not asked to have.
func (x *exam) checkDocument() {
	review := x.c.DocumentationReview
	_, sections, _ := templates.Skeleton(review.Skeleton)
	var missing []string
	for _, s := range sections {
		if !slices.Contains(review.Sections, s.Heading) {
			missing = append(missing, s.Heading)
		}
	}
	if len(missing) > 0 {
		x.find("sections-missing", "/documentationReview/sections", review.Skeleton, strings.Join(missing, "; "))
	}
}

// checkFamily finds councils whose seats are all of one model family, or would be if their models were down.
func (x *exam) checkFamily() {
	if k := x.c.Families(false); k.Alike() {
		x.find("one-family", "/members", k.Seats, k.Families[0])
	} else if spare := x.c.Families(true); spare.Alike() {
		x.find("one-family-fallbacks", "/members", spare.Seats, spare.Families[0])
	}
}
