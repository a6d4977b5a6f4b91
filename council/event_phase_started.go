package council

// PhaseStarted begins a visit to a phase.
//
// Protocol: 14.
type PhaseStarted struct {
	Phase  PhaseID `json:"phase"`                        // the id of the phase
	Visit  int     `json:"visit" jsonschema:"minimum=1"` // counts all phases of the session from 1
	Goal   string  `json:"goal" text:"charter"`
	Reason string  `json:"reason,omitempty" text:"charter"` // that of the transition that led here
}

// Row implements [Payload].
func (PhaseStarted) Row() Row { return Row{Type: "PHASE_STARTED", Consequence: true} }
