package council

// ExecutionFinished records how the execution ended.
//
// Protocol: 62.
type ExecutionFinished struct {
	By        string `json:"by" text:"name"`
	Succeeded bool   `json:"succeeded"`
	Note      string `json:"note,omitempty" text:"said"`
}

// Row implements [Payload].
func (ExecutionFinished) Row() Row { return Row{Type: "EXECUTION_FINISHED"} }

func (ExecutionFinished) ruling() {}
