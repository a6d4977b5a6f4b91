package council

// TurnsOpened shows the turns of a round that was held together to everybody at once.
//
// Protocol: 197.
type TurnsOpened struct {
	Round int `json:"round" jsonschema:"minimum=1"`
}

// Row implements [Payload].
func (TurnsOpened) Row() Row { return Row{Type: "TURNS_OPENED", Consequence: true, Opens: true} }
