package council

// MemberFaulted records that a member gave no usable answer to an ask and none is coming.
type MemberFaulted struct {
	Answered
	Kind     AskKind  `json:"kind"`
	Standing Standing `json:"standing"`
	Fault    Fault    `json:"fault"`
}

// SessionSuspended stops the session without closing it. Ask is empty when nobody in particular is the cause.
type SessionSuspended struct {
	Ask   AskID `json:"ask,omitempty"`
	Usage Usage `json:"usage,omitzero"`
	Fault Fault `json:"fault"`
}

// SessionResumed ends a suspension.
type SessionResumed struct {
	By string `json:"by"`
}

// SessionAdjourned ends the deliberation where it stands.
type SessionAdjourned struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// BudgetAmended replaces the budget.
type BudgetAmended struct {
	By     string `json:"by"`
	Budget Budget `json:"budget"`
}

// ServerMoved says where the server of a member is found from now on.
type ServerMoved struct {
	By      string   `json:"by"`
	Member  MemberID `json:"member"`
	BaseURL string   `json:"baseUrl"`
}

// BriefAmended replaces the execution brief; earlier approvals are void.
type BriefAmended struct {
	By          string `json:"by"`
	Brief       Brief  `json:"brief"`
	BriefSHA256 string `json:"briefSha256"`

	Executes []MotionID `json:"executes,omitempty"` // the carried motions that it carries out
}

// ExecutionApproved approves one brief, named by its digest.
type ExecutionApproved struct {
	By          string `json:"by"`
	BriefSHA256 string `json:"briefSha256"`
	Note        string `json:"note,omitempty"`
	InAdvance   bool   `json:"inAdvance,omitempty"` // before the brief could be read
}

// ExecutionRejected rejects one brief, named by its digest.
type ExecutionRejected struct {
	By          string `json:"by"`
	BriefSHA256 string `json:"briefSha256"`
	Reason      string `json:"reason,omitempty"`
}

// ExecutionStarted says that somebody carries out the brief.
type ExecutionStarted struct {
	By          string `json:"by"`
	BriefSHA256 string `json:"briefSha256"`
}

// ExecutionFinished says how that ended.
type ExecutionFinished struct {
	By        string `json:"by"`
	Succeeded bool   `json:"succeeded"`
	Note      string `json:"note,omitempty"`
}
