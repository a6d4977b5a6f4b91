package council

// ReviewGiven records what a member that did not approve a draft asks for.
//
// Protocol: 51, 52.
type ReviewGiven struct {
	Answered
	Version int `json:"version" jsonschema:"minimum=1"`
	Review
}

// Row implements [Payload].
func (ReviewGiven) Row() Row { return Row{Type: "REVIEW_GIVEN", Answers: AskReview} }

func (p ReviewGiven) reply() Reply { return p.Reply(p.Review) }
