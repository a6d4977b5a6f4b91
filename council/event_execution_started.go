package council

// ExecutionStarted records that somebody carries out the brief.
//
// Protocol: 62.
type ExecutionStarted struct {
	By          string `json:"by" text:"name"`
	BriefSHA256 string `json:"briefSha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
}

// Row implements [Payload].
func (ExecutionStarted) Row() Row { return Row{Type: "EXECUTION_STARTED"} }

func (ExecutionStarted) ruling() {}
