package charter

import (
	"math"

	"github.com/council-engine/council/council"
)

// MaxAsks returns an upper bound of the number of different asks in a session under this charter. A question that is
// put again after a suspension is the same ask. It saturates at math.MaxInt.
func MaxAsks(c *council.Charter) int {
	n := len(c.Members)
	visit := 0 // asks in the longest visit to a phase
	for _, phase := range c.Phases {
		turn := 1 + n // the turn, then a ballot of each
		if phase.Governance.RequireSeconding {
			turn += n - 1
		}
		visit = max(visit, add(times(times(phase.StopConditions.MaxRounds, n), turn), 1)) // and one assessment
	}
	total := add(n, times(add(c.SessionPolicy.MaxPhaseTransitions, 1), visit)) // the election, then the phases
	if c.Deliberation.SealedPositions {
		total = add(total, n)
	}
	total = add(total, 1) // the summary
	if c.Output.Type == council.OutputDocumentation {
		// A draft, a ballot of each and a review of each, for the first version and every revision.
		total = add(total, times(add(c.DocumentationReview.MaxRevisionRounds, 1), 1+2*n))
	}
	return add(total, n+max(0, n-1)) // dissents, then questions put again to a leader's successor
}

// times multiplies counts and saturates; a negative count is 0.
func times(a, b int) int {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// add adds counts and saturates; a negative count is 0.
func add(a, b int) int {
	a, b = max(0, a), max(0, b)
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
