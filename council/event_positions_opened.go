package council

// PositionsOpened shows all sealed positions to everybody at once.
//
// Protocol: 5, 87.
type PositionsOpened struct {
	Sealed int `json:"sealed"`           // how many positions
	Absent int `json:"absent,omitempty"` // members without one

	// Every member sealed the same stance and is sure of it; only where the charter debates the contested only.
	Agreed bool `json:"agreed,omitempty"`
}

// Row implements [Payload].
func (PositionsOpened) Row() Row {
	return Row{Type: "POSITIONS_OPENED", Consequence: true, Opens: true}
}
