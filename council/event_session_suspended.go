package council

// SessionSuspended stops the session so that it can be resumed. It is a fact, or a consequence of a spent budget, or of
// sealed positions of which none was usable. As a ruling, an interrupt for example, it has a fault alone.
//
// Protocol: 63, 68, 85.
type SessionSuspended struct {
	Ask   AskID `json:"ask,omitempty"`  // the question that caused it; absent when no single one did
	Usage Usage `json:"usage,omitzero"` // of that question
	Fault Fault `json:"fault"`
}

// Row implements [Payload].
func (SessionSuspended) Row() Row { return Row{Type: "SESSION_SUSPENDED"} }

func (SessionSuspended) ruling() {}

func (p SessionSuspended) reply() Reply {
	return Reply{Ask: p.Ask, Fault: &p.Fault, Usage: p.Usage}
}
