package council

// ExecutionApproved lets one brief, named by its digest, be carried out. An approval in advance does not clear a brief
// that is withheld.
//
// Protocol: 59.
type ExecutionApproved struct {
	By          string `json:"by" text:"name"`
	BriefSHA256 string `json:"briefSha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
	Note        string `json:"note,omitempty" text:"said"`
	InAdvance   bool   `json:"inAdvance,omitempty"` // it was given before the brief could be read
}

// Row implements [Payload].
func (ExecutionApproved) Row() Row { return Row{Type: "EXECUTION_APPROVED"} }

func (ExecutionApproved) ruling() {}
