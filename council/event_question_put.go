package council

// QuestionPut records a turn that put a question to one member, or to the person who convened the council.
//
// Protocol: 208, 211.
type QuestionPut struct {
	Answered
	To       MemberID `json:"to"` // a member, or `convener`
	Question string   `json:"question" text:"said"`

	// It was put to the convener of a session in which nobody answers for the convener.
	Unanswered bool `json:"unanswered,omitempty"`
}

// Row implements [Payload].
func (QuestionPut) Row() Row { return Row{Type: "QUESTION_PUT", Answers: AskTurn} }

func (p QuestionPut) reply() Reply {
	return p.Reply(Turn{Action: ActionAsk, To: p.To, Question: p.Question})
}
