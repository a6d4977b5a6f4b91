package council

// MotionDied records that no member seconded the motion.
//
// Protocol: 24.
type MotionDied struct {
	Motion MotionID `json:"motion"`
}

// Row implements [Payload].
func (MotionDied) Row() Row { return Row{Type: "MOTION_DIED", Consequence: true, Opens: true} }
