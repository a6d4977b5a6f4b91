package council

// PhaseAssessed records the leader's judgement of a phase.
//
// Protocol: 37, 92.
type PhaseAssessed struct {
	Answered
	Assessment
}

// Row implements [Payload].
func (PhaseAssessed) Row() Row { return Row{Type: "PHASE_ASSESSED", Answers: AskAssess} }

func (p PhaseAssessed) reply() Reply { return p.Reply(p.Assessment) }
