package council

// DissentWritten records the opinion of a member whose ballot was valid and not with the side that prevailed: in a
// motion that carried NO and ABSTAIN, in one that was lost YES and ABSTAIN. Two votes count, each with its own side. Of
// motions it is the last vote that carried, or that was lost when nothing had carried in that visit to the phase. Of
// drafts it is the last that found a quorum. An empty opinion declines.
//
// Protocol: 55.
type DissentWritten struct {
	Answered
	Dissent
}

// Row implements [Payload].
func (DissentWritten) Row() Row { return Row{Type: "DISSENT_WRITTEN", Answers: AskDissent} }

func (p DissentWritten) reply() Reply { return p.Reply(p.Dissent) }
