package council

// SessionResumed ends a suspension.
//
// Protocol: 66.
type SessionResumed struct {
	By string `json:"by" text:"name"`
}

// Row implements [Payload].
func (SessionResumed) Row() Row { return Row{Type: "SESSION_RESUMED"} }

func (SessionResumed) ruling() {}
