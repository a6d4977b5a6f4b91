package council

// SecondAnswered records one member's answer to the call for a second, and where it stands on the motion.
//
// Protocol: 22, 182.
type SecondAnswered struct {
	Answered
	Motion MotionID `json:"motion"`
	Second
}

// Row implements [Payload].
func (SecondAnswered) Row() Row { return Row{Type: "SECOND_ANSWERED", Answers: AskSecond} }

func (p SecondAnswered) reply() Reply { return p.Reply(p.Second) }
