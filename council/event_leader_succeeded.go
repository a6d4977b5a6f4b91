package council

// LeaderSucceeded has the next in the ranking answer one question in the place of a leader, or stand-in, that could
// not. The leader stays the leader.
//
// Protocol: 12, 13.
type LeaderSucceeded struct {
	From    MemberID `json:"from"`
	To      MemberID `json:"to"`
	Because AskID    `json:"because"` // the question that was not answered
}

// Row implements [Payload].
func (LeaderSucceeded) Row() Row { return Row{Type: "LEADER_SUCCEEDED", Consequence: true} }
