package council

// QuestionAnswered records the answer to the question that was put last.
//
// Protocol: 209.
type QuestionAnswered struct {
	Answered
	Answer
}

// Row implements [Payload].
func (QuestionAnswered) Row() Row { return Row{Type: "QUESTION_ANSWERED", Answers: AskReply} }

func (p QuestionAnswered) reply() Reply { return p.Reply(p.Answer) }
