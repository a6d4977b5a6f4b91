package council

// NoteGiven is a note by whoever convened the council, to all members. Each is told it with the first question that is
// put to it afterwards.
//
// Protocol: 160, 161.
type NoteGiven struct {
	By   string `json:"by" text:"name"`
	Text string `json:"text" text:"said" jsonschema:"pattern=\\S,maxLength=2000"`
}

// MaxNote is the number of characters that a note may have.
const MaxNote = 2_000

// Row implements [Payload].
func (NoteGiven) Row() Row { return Row{Type: "NOTE_GIVEN", Lasts: true} }

func (NoteGiven) ruling() {}
