package council

// ChoicePut puts options to the vote: those of a phase when its debate ends without a resolution, or the motions of a
// round that was held together.
//
// Protocol: 173, 199.
type ChoicePut struct {
	Motion  MotionID   `json:"motion"`
	Options []string   `json:"options" text:"short"` // of motions their titles, numbered where two are alike
	Motions []MotionID `json:"motions,omitempty"`    // those that are put as options, in the same order
	Reason  DebateEnd  `json:"reason,omitempty"`     // why the debate ends; empty for motions
}

// Row implements [Payload].
func (ChoicePut) Row() Row { return Row{Type: "CHOICE_PUT", Consequence: true} }
