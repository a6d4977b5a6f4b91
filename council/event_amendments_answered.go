package council

// AmendmentsAnswered records what one member says of the amendments that were proposed to a motion.
//
// Protocol: 186.
type AmendmentsAnswered struct {
	Answered
	Motion MotionID `json:"motion"`
	Amend
}

// Row implements [Payload].
func (AmendmentsAnswered) Row() Row { return Row{Type: "AMENDMENTS_ANSWERED", Answers: AskAmend} }

func (p AmendmentsAnswered) reply() Reply { return p.Reply(p.Amend) }
