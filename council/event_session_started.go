package council

// SessionStarted freezes what was settled before the council met. It is the first event of every log.
//
// Protocol: 1, 2, 76 to 79, 165 to 167.
type SessionStarted struct {
	Rules   int       `json:"rules" jsonschema:"minimum=1"` // the version of the rules
	Session SessionID `json:"session"`                      // the id of the session
	Topic   Topic     `json:"topic"`                        // what the council is asked, with what it is given to read
	Charter Charter   `json:"charter"`                      // the configuration with every default filled in

	// What the members are reminded of: the council's memory first, then the members' in seat order.
	Memory []Reminder `json:"memory,omitempty"`
}

// Row implements [Payload].
func (SessionStarted) Row() Row { return Row{Type: "SESSION_STARTED"} }
