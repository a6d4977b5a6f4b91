package council

// RoundStarted begins a round.
//
// Protocol: 15.
type RoundStarted struct {
	Round int `json:"round" jsonschema:"minimum=1"` // from 1 within the visit
	Of    int `json:"of" jsonschema:"minimum=1"`    // how many there may be
}

// Row implements [Payload].
func (RoundStarted) Row() Row { return Row{Type: "ROUND_STARTED", Consequence: true} }
