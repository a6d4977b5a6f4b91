package council

// LeaderBallotCast records one member's vote for a leader.
//
// Protocol: 7, 8.
type LeaderBallotCast struct {
	Answered
	Nomination
}

// Row implements [Payload].
func (LeaderBallotCast) Row() Row { return Row{Type: "LEADER_BALLOT_CAST", Answers: AskNominate} }

func (p LeaderBallotCast) reply() Reply { return p.Reply(p.Nomination) }
