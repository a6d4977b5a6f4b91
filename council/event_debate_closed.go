package council

// DebateClosed ends the rounds of a phase.
//
// Protocol: 18, 19, 35, 88, 91.
type DebateClosed struct {
	Reason      DebateEnd  `json:"reason"`
	Resolutions []MotionID `json:"resolutions,omitempty"` // the motions carried in this visit that stand, in order
}

// Row implements [Payload].
func (DebateClosed) Row() Row { return Row{Type: "DEBATE_CLOSED", Consequence: true} }

// DebateEnd is the reason why a debate ended.
type DebateEnd string

// The ends of a debate.
const (
	EndMajorityVote DebateEnd = "MAJORITY_VOTE"
	EndRoundLimit   DebateEnd = "ROUND_LIMIT"
	EndAllPassed    DebateEnd = "ALL_PASSED"
	EndUncontested  DebateEnd = "UNCONTESTED" // all members agreed, and the leader's motion carried at once
	EndUnanswered   DebateEnd = "UNANSWERED"  // no member answered in a whole round
	EndNothingNew   DebateEnd = "NOTHING_NEW" // in a whole round no motion was made and nothing cited for the first time
)

// ByVote reports whether a vote ended the debate.
func (d DebateEnd) ByVote() bool { return d == EndMajorityVote || d == EndUncontested }
