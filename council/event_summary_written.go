package council

// SummaryWritten records the leader's account of the deliberation.
//
// Protocol: 47, 48, 82.
type SummaryWritten struct {
	Answered
	Summary

	// What an approval must name; present with `requiresExecution`.
	BriefSHA256 string `json:"briefSha256,omitempty" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
}

// Row implements [Payload].
func (SummaryWritten) Row() Row { return Row{Type: "SUMMARY_WRITTEN", Answers: AskSummary} }

func (p SummaryWritten) reply() Reply { return p.Reply(p.Summary) }
