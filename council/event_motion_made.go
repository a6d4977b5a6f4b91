package council

// MotionMade records a turn that moved a motion.
//
// Protocol: 21.
type MotionMade struct {
	Answered
	Motion         MotionID `json:"motion"` // its id: the place of the turn
	MotionTitle    string   `json:"motionTitle" text:"short"`
	MotionText     string   `json:"motionText" text:"said"`
	DecisionIfPass string   `json:"decisionIfPass" text:"said"` // what is decided if it carries
}

// Row implements [Payload].
func (MotionMade) Row() Row { return Row{Type: "MOTION_MADE", Answers: AskTurn} }

func (p MotionMade) reply() Reply {
	return p.Reply(Turn{
		Action: ActionCallVote, MotionTitle: p.MotionTitle, MotionText: p.MotionText, DecisionIfPass: p.DecisionIfPass,
	})
}
