package council

// ChoicePut puts the options of a phase to the vote when its debate ends without a resolution.
//
// Protocol: 173.
type ChoicePut struct {
	Motion  MotionID  `json:"motion"`
	Options []string  `json:"options" text:"short"`
	Reason  DebateEnd `json:"reason"` // why the debate ends
}

// Row implements [Payload].
func (ChoicePut) Row() Row { return Row{Type: "CHOICE_PUT", Consequence: true} }
