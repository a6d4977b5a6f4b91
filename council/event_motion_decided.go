package council

import "github.com/council-engine/council/council/quorum"

// MotionDecided gives the result of a vote on a motion, with all that is needed to count it again.
//
// Protocol: 29 to 34, 176 to 179.
type MotionDecided struct {
	Motion MotionID `json:"motion"`
	Decision

	// Of a choice: how its options stand against one another, by their indexes; one past them is none of these. The count
	// above is that of the option that was chosen, or that most members want, against none of these: YES ranks it above.
	Choice *quorum.Choice `json:"choice,omitempty"`
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
