package council

// MotionAmended records a motion as it stands with an amendment that its mover accepted, or that carried.
//
// Protocol: 190.
type MotionAmended struct {
	Motion    MotionID    `json:"motion"`
	Amendment AmendmentID `json:"amendment"`
	Wording
}

// Row implements [Payload].
func (MotionAmended) Row() Row { return Row{Type: "MOTION_AMENDED", Consequence: true} }
