package council

// BallotCast records one member's vote on a motion or a draft.
//
// Protocol: 26, 27, 49.
type BallotCast struct {
	Answered
	Subject
	Ballot
}

// Row implements [Payload].
func (BallotCast) Row() Row { return Row{Type: "BALLOT_CAST", Answers: AskBallot} }

func (p BallotCast) reply() Reply { return p.Reply(p.Ballot) }

// Subject names the motion or the draft of a ballot: exactly one of Motion and Draft is set.
type Subject struct {
	Motion MotionID  `json:"motion,omitempty" jsonschema:"oneof_required=motion"`
	Draft  *DraftRef `json:"draft,omitempty" jsonschema:"oneof_required=draft"`
}
