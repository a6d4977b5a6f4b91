package council

// MotionSeconded puts the motion to the vote, after the amendments that were proposed to it.
//
// Protocol: 23, 183.
type MotionSeconded struct {
	Motion MotionID `json:"motion"`

	// The first who seconds in the order of the lot whose matter is the motion's id (see LEADER_ELECTED). SECOND_ANSWERED
	// and faults of seconds stand in this order. It is absent where the motion needed no second.
	Seconder MemberID `json:"seconder,omitempty"`
}

// Row implements [Payload].
func (MotionSeconded) Row() Row { return Row{Type: "MOTION_SECONDED", Consequence: true, Opens: true} }
