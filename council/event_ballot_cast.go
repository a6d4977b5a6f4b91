package council

// BallotCast records one member's vote on a motion, an amendment or a draft.
//
// Protocol: 26, 27, 49, 189.
type BallotCast struct {
	Answered
	Subject
	Ballot
}

// Row implements [Payload].
func (BallotCast) Row() Row { return Row{Type: "BALLOT_CAST", Answers: AskBallot} }

func (p BallotCast) reply() Reply { return p.Reply(p.Ballot) }

// Subject names the motion, the amendment or the draft of a ballot: exactly one of them is set.
type Subject struct {
	Motion    MotionID    `json:"motion,omitempty" jsonschema:"oneof_required=motion"`
	Amendment AmendmentID `json:"amendment,omitempty" jsonschema:"oneof_required=amendment"`
	Draft     *DraftRef   `json:"draft,omitempty" jsonschema:"oneof_required=draft"`
}
