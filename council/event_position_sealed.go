package council

// PositionSealed records what one member thinks before any discussion.
//
// Protocol: 3, 4, 86.
type PositionSealed struct {
	Answered
	Position
}

// Row implements [Payload].
func (PositionSealed) Row() Row { return Row{Type: "POSITION_SEALED", Answers: AskPosition} }

func (p PositionSealed) reply() Reply { return p.Reply(p.Position) }
