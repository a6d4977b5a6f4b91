package council

// TurnPassed records a turn that was passed.
//
// Protocol: 16, 18, 90.
type TurnPassed struct {
	Answered
	Reason string `json:"reason" text:"said"`
	Note   string `json:"note,omitempty" text:"said"`

	// What of all that exists it is the first to cite; only where the charter debates the contested only.
	Cites []string `json:"cites,omitempty" text:"id"`
}

// Row implements [Payload].
func (TurnPassed) Row() Row { return Row{Type: "TURN_PASSED", Answers: AskTurn} }

func (p TurnPassed) reply() Reply {
	return p.Reply(Turn{Action: ActionPass, Reason: p.Reason, Note: p.Note})
}
