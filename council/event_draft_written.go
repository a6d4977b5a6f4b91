package council

// DraftWritten records one version of the document.
//
// Protocol: 49, 53.
type DraftWritten struct {
	Answered
	DraftRef
	Draft
}

// Row implements [Payload].
func (DraftWritten) Row() Row { return Row{Type: "DRAFT_WRITTEN", Answers: AskDraft} }

func (p DraftWritten) reply() Reply { return p.Reply(p.asGiven()) }

// DraftRef names one version of the document.
type DraftRef struct {
	Version int    `json:"version" jsonschema:"minimum=1"`
	SHA256  string `json:"sha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"` // of its Markdown
}
