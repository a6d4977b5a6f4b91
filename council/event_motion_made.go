package council

// MotionMade records a turn that moved a motion, or one that proposed a choice: then it has options, and the title is
// its question.
//
// Protocol: 21, 171, 214.
type MotionMade struct {
	Answered
	Motion         MotionID `json:"motion"` // its id: the place of the turn
	MotionTitle    string   `json:"motionTitle" text:"short"`
	MotionText     string   `json:"motionText,omitempty" text:"said"`
	DecisionIfPass string   `json:"decisionIfPass,omitempty" text:"said"` // what is decided if it carries
	Options        []string `json:"options,omitempty" text:"short"`       // of a choice

	// The motions of the phase that carried and no longer stand if this one carries.
	Supersedes []MotionID `json:"supersedes,omitempty"`
}

// Row implements [Payload].
func (MotionMade) Row() Row { return Row{Type: "MOTION_MADE", Answers: AskTurn} }

func (p MotionMade) reply() Reply {
	if len(p.Options) > 0 {
		return p.Reply(Turn{
			Action: ActionCallChoice, MotionTitle: p.MotionTitle, MotionText: p.MotionText, Options: p.Options,
		})
	}
	return p.Reply(Turn{
		Action: ActionCallVote, MotionTitle: p.MotionTitle, MotionText: p.MotionText, DecisionIfPass: p.DecisionIfPass,
		Supersedes: p.Supersedes,
	})
}
