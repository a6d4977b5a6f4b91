package council

// ExecutionRejected forbids that one brief, named by its digest, is carried out.
//
// Protocol: 59.
type ExecutionRejected struct {
	By          string `json:"by" text:"name"`
	BriefSHA256 string `json:"briefSha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
	Reason      string `json:"reason,omitempty" text:"said"`
}

// Row implements [Payload].
func (ExecutionRejected) Row() Row { return Row{Type: "EXECUTION_REJECTED"} }

func (ExecutionRejected) ruling() {}
