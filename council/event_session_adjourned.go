package council

// SessionAdjourned ends the deliberation where it stands.
//
// Protocol: 70.
type SessionAdjourned struct {
	By     string `json:"by" text:"name"`
	Reason string `json:"reason" text:"said"`
}

// Row implements [Payload].
func (SessionAdjourned) Row() Row { return Row{Type: "SESSION_ADJOURNED"} }

func (SessionAdjourned) ruling() {}
