package council

// AmendmentDecided gives the result of a vote on an amendment, or records that one fell.
//
// Protocol: 189, 191.
type AmendmentDecided struct {
	Motion    MotionID    `json:"motion"`
	Amendment AmendmentID `json:"amendment"`

	// Absent where the amendment fell without a vote: its words stand in the motion no more, or the motion would become
	// one that was lost.
	Vote *Decision `json:"vote,omitempty"`
}

// Row implements [Payload].
func (AmendmentDecided) Row() Row {
	return Row{Type: "AMENDMENT_DECIDED", Consequence: true, Opens: true}
}
