package council

import "slices"

// NoteGiven is a note by whoever convened the council, to all members. Each is told it with the first question that is
// put to it afterwards.
//
// Protocol: 160, 161, 162, 163.
type NoteGiven struct {
	By   string `json:"by" text:"name"`
	Text string `json:"text" text:"said" jsonschema:"pattern=\\S,maxLength=2000"`

	ID    string `json:"id,omitempty" text:"id"` // of a note that was handed to a running session
	Ahead bool   `json:"ahead,omitempty"`        // the questions that were open had not been put yet, and show the note
}

// MaxNote is the number of characters that a note may have.
const MaxNote = 2_000

// Row implements [Payload].
func (NoteGiven) Row() Row { return Row{Type: "NOTE_GIVEN", Lasts: true} }

func (NoteGiven) ruling() {}

// In reports whether a log records the note already, by its id.
func (n NoteGiven) In(log []Event) bool {
	return n.ID != "" && slices.ContainsFunc(log, func(e Event) bool {
		recorded, ok := e.Payload.(NoteGiven)
		return ok && recorded.ID == n.ID
	})
}
