package council

// MotionDied records that no member seconded the motion, or that its mover withdrew it.
//
// Protocol: 24, 187.
type MotionDied struct {
	Motion    MotionID `json:"motion"`
	Withdrawn bool     `json:"withdrawn,omitempty"`
}

// Row implements [Payload].
func (MotionDied) Row() Row { return Row{Type: "MOTION_DIED", Consequence: true, Opens: true} }
