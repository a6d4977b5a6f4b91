package rules

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// errRanking refuses a ranking.
var errRanking = badReply("a ranking names each option once, and %s", council.NoneOfThese)

// vote holds the ballots that are being collected, or were counted.
type vote struct {
	count   quorum.Count
	ranks   map[council.MemberID]quorum.Ranking // of a choice
	choices map[council.MemberID]council.Choice // of the valid ballots
	result  quorum.Result
}

func newVote() vote {
	return vote{choices: map[council.MemberID]council.Choice{}, ranks: map[council.MemberID]quorum.Ranking{}}
}

func (v *vote) cast(m council.MemberID, c council.Choice) {
	v.choices[m] = c
	switch c {
	case council.ChoiceYes:
		v.count.Yes++
	case council.ChoiceNo:
		v.count.No++
	case council.ChoiceAbstain:
		v.count.Abstain++
	}
}

// setSides notes the members that voted with the result of a choice: those that rank the chosen option first, or,
// without one, none of these.
func (v *vote) setSides(c *quorum.Choice) {
	if c == nil {
		return
	}
	first, with, against := len(c.Prefers)-1, council.ChoiceNo, council.ChoiceYes
	if c.Chosen != nil {
		first, with, against = *c.Chosen, council.ChoiceYes, council.ChoiceNo
	}
	for m, ranking := range v.ranks {
		v.choices[m] = against
		if len(ranking) > 0 && slices.Contains(ranking[0], first) {
			v.choices[m] = with
		}
	}
}

// canDissent reports whether a member may dissent: from a motion that carried without its YES, or from one that was
// lost although it voted, and not NO.
func (v vote) canDissent(m council.MemberID) bool {
	choice := v.choices[m]
	return v.result == quorum.Carried && choice != council.ChoiceYes ||
		v.result == quorum.Lost && choice != council.ChoiceNo && choice != ""
}

// results are those of the last visit to the deciding phase: the motions that carried, else the vote on the last that
// it lost.
type results struct {
	decided []resolved
	lost    vote
}

// resolved is a motion that carried.
type resolved struct {
	council.Resolution
	vote vote
}

func motionIDs(carried []resolved) (motions []council.MotionID) {
	for _, r := range carried {
		motions = append(motions, r.Motion)
	}
	return motions
}
