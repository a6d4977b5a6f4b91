package council

import "github.com/council-engine/council/council/quorum"

// MotionDecided gives the result of a vote on a motion, with all that is needed to count it again.
//
// Protocol: 29 to 34.
type MotionDecided struct {
	Motion MotionID `json:"motion"`
	Decision
}

// Row implements [Payload].
func (MotionDecided) Row() Row { return Row{Type: "MOTION_DECIDED", Consequence: true, Opens: true} }

// Decision is the count of a vote, with everything needed to count it again. CARRIED needs the quorum, `yes` ≥ `needed`
// and `yes` > `no`.
type Decision struct {
	Result quorum.Result `json:"result"`

	// `quorum` is the effective one, never 0: without one half of `members` rounded down, plus 1
	Rule  quorum.Rule  `json:"rule"`
	Count quorum.Count `json:"count"`

	// YES ballots needed out of `of`: half of it rounded down, plus 1, where the threshold is one half, else `of` ×
	// `threshold` rounded up and at least 1. It is recorded where there was no quorum, too.
	Needed int `json:"needed"`

	// The denominator in ballots: the `members`, or `yes` + `no` + `abstain` for present, or `yes` + `no` for cast.
	Of int `json:"of"`
}
