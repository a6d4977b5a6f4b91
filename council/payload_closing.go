package council

// SummaryWritten is the leader's account. BriefSHA256 names the execution brief for approvals.
type SummaryWritten struct {
	Answered
	Summary
	BriefSHA256 string `json:"briefSha256,omitempty"`
}

// DraftWritten is one version of the document.
type DraftWritten struct {
	Answered
	DraftRef
	Draft
}

// DraftDecided is the result of a vote on a draft.
type DraftDecided struct {
	DraftRef
	Decision
}

// ReviewGiven is what a member that did not approve asks for.
type ReviewGiven struct {
	Answered
	Version int `json:"version"`
	Review
}

// DissentWritten is a minority opinion; empty when the member declined.
type DissentWritten struct {
	Answered
	Dissent
}

// SessionClosed is the commit point: what the session came to.
type SessionClosed struct {
	Outcome
}
