package council

// AmendmentsWeighed tells what becomes of the amendments that were proposed to a motion, in seat order of their
// members. Those in neither list die.
//
// Protocol: 188.
type AmendmentsWeighed struct {
	Motion   MotionID      `json:"motion"`
	Accepted []AmendmentID `json:"accepted,omitempty"` // by the mover: they are taken at once
	Put      []AmendmentID `json:"put,omitempty"`      // to the vote, because another member seconded them
}

// Row implements [Payload].
func (AmendmentsWeighed) Row() Row {
	return Row{Type: "AMENDMENTS_WEIGHED", Consequence: true, Opens: true}
}
