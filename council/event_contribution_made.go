package council

// ContributionMade records a turn that added to the debate.
//
// Protocol: 16, 90.
type ContributionMade struct {
	Answered
	Message string `json:"message" text:"said"`

	// What of all that exists it is the first to cite; only where the charter debates the contested only.
	Cites []string `json:"cites,omitempty" text:"id"`
}

// Row implements [Payload].
func (ContributionMade) Row() Row { return Row{Type: "CONTRIBUTION_MADE", Answers: AskTurn} }

func (p ContributionMade) reply() Reply {
	return p.Reply(Turn{Action: ActionContribute, Message: p.Message})
}
