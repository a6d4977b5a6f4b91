package render

import "github.com/council-engine/council/recorder/wire"

// Transcript grows transcript.md with the log. It belongs to one goroutine.
//
// Every heading, table and result in it is ours. What a member said stands under the member's heading, in a quotation
// or in a cell, and holds no heading or table. What it says of each event stands in templates/tellings/transcript.tmpl.
type Transcript struct {
	session session
	begun   bool
}

// NewTranscript returns a transcript of nothing.
func NewTranscript() *Transcript { return &Transcript{} }

// Add takes in the next entry of the log and returns what it adds to the transcript, which may be nothing: ballots and
// other answers that were given unseen are shown together when they are counted. What one log's entries add, one after
// another, is its transcript.md.
func (t *Transcript) Add(e wire.Entry) string {
	t.session.take(e)
	told := t.session.entry(e)
	definitions := told.definitions()
	if len(t.session.Events) == 1 {
		definitions = append([]string{"title"}, definitions...)
	}
	text := told.write(definitions...)
	if t.begun && text != "" {
		text = "\n" + text
	}
	t.begun = t.begun || text != ""
	return text
}
