package council

import "slices"

// MemberFaulted records that a member gave no usable answer to an ask and none is coming. With the fault `excluded` it
// is a consequence; `not-awaited` says that its member was asked, and that the session went on before it had answered.
type MemberFaulted struct {
	Answered
	Kind AskKind `json:"kind"` // of the ask

	// INVALID where a vote was asked for (`ballot`, `rank`, `nominate`, `second`, `amend`) and the fault is
	// `unparsable` or `truncated`: it counts in `invalid`, and makes no quorum. OPEN at the pace auto, where a later try
	// may bring the ballot: once the other ballots are in, it counts as ABSENT or suspends the session.
	Standing Standing `json:"standing"`
	Fault    Fault    `json:"fault"`
}

// Row implements [Payload].
func (p MemberFaulted) Row() Row     { return replyRow("MEMBER_FAULTED", "28, 64, 251, 264, 265", p.Kind) }
func (p MemberFaulted) reply() Reply { return p.Reply(nil).Failed(p.Fault) }

// SessionSuspended stops the session so that it can be resumed. It is also a consequence of a spent budget or of sealed
// positions of which none was usable. As a ruling it has a fault alone.
type SessionSuspended struct {
	Ask   AskID `json:"ask,omitempty"`  // the question that caused it; absent when no single one did
	Usage Usage `json:"usage,omitzero"` // of that question
	Fault Fault `json:"fault"`
}

func (SessionSuspended) Row() Row       { return factRow("SESSION_SUSPENDED", "63, 68, 85") }
func (SessionSuspended) ruling()        {}
func (p SessionSuspended) reply() Reply { return Reply{Ask: p.Ask, Fault: &p.Fault, Usage: p.Usage} }

// SessionResumed ends a suspension.
type SessionResumed struct {
	By string `json:"by" text:"name"`
}

func (SessionResumed) Row() Row { return factRow("SESSION_RESUMED", "66") }
func (SessionResumed) ruling()  {}

// SessionAdjourned ends the deliberation at once.
type SessionAdjourned struct {
	By     string `json:"by" text:"name"`
	Reason string `json:"reason" text:"said"`
}

func (SessionAdjourned) Row() Row { return factRow("SESSION_ADJOURNED", "70") }
func (SessionAdjourned) ruling()  {}

// NoteGiven is a note to all members by the person who convened. Each reads it with its next question.
type NoteGiven struct {
	By   string `json:"by" text:"name"`
	Text string `json:"text" text:"said" jsonschema:"pattern=\\S,maxLength=2000"`

	ID    string `json:"id,omitempty" text:"id"` // of a note that was handed to a running session
	Ahead bool   `json:"ahead,omitempty"`        // the questions that were open had not been put yet, and show the note
}

const MaxNote = 2_000 // the number of characters that a note may have

func (NoteGiven) Row() Row {
	return Row{Type: "NOTE_GIVEN", Protocol: "160, 161, 162, 163", Lasts: true}
}
func (NoteGiven) ruling() {}

// In reports whether a log records the note already, by its id.
func (n NoteGiven) In(log []Event) bool {
	return n.ID != "" && slices.ContainsFunc(log, func(e Event) bool {
		recorded, ok := e.Payload.(NoteGiven)
		return ok && recorded.ID == n.ID
	})
}

// BudgetAmended replaces the budget of the whole session.
type BudgetAmended struct {
	By     string `json:"by" text:"name"`
	Budget Budget `json:"budget"` // absent caps are none
}

func (BudgetAmended) Row() Row { return factRow("BUDGET_AMENDED", "69, 84") }
func (BudgetAmended) ruling()  {}

// ServerMoved gives another address to the server of a member: for its model, and for its fallbacks at the same one.
// Charter and prices stay.
type ServerMoved struct {
	By      string   `json:"by" text:"name"`
	Member  MemberID `json:"member"`
	BaseURL string   `json:"baseUrl" text:"id" jsonschema:"pattern=^[Hh][Tt][Tt][Pp][Ss]?://"`
}

func (ServerMoved) Row() Row { return factRow("SERVER_MOVED", "69") }
func (ServerMoved) ruling()  {}

// MembersExcluded excludes members from the rest of the session. They are asked nothing more, and are ABSENT.
type MembersExcluded struct {
	By      string     `json:"by" text:"name"`
	Members []MemberID `json:"members" jsonschema:"minItems=1"`
}

func (MembersExcluded) Row() Row { return factRow("MEMBERS_EXCLUDED", "264") }
func (MembersExcluded) ruling()  {}

// BriefAmended replaces the execution brief of a closed session; approvals of the old one are void. As a ruling it has
// the brief alone, whose motions must have carried.
type BriefAmended struct {
	By          string     `json:"by" text:"name"`
	Brief       Brief      `json:"brief"`
	BriefSHA256 string     `json:"briefSha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
	Executes    []MotionID `json:"executes,omitempty"` // the resolutions that it carries out
}

func (BriefAmended) Row() Row { return factRow("BRIEF_AMENDED", "60") }
func (BriefAmended) ruling()  {}

// ExecutionApproved lets one brief, named by its digest, be carried out. An approval in advance does not clear a brief
// that is withheld.
type ExecutionApproved struct {
	By          string `json:"by" text:"name"`
	BriefSHA256 string `json:"briefSha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
	Note        string `json:"note,omitempty" text:"said"`
	InAdvance   bool   `json:"inAdvance,omitempty"` // it was given before the brief could be read
}

func (ExecutionApproved) Row() Row { return factRow("EXECUTION_APPROVED", "59") }
func (ExecutionApproved) ruling()  {}

// ExecutionRejected forbids that one brief, named by its digest, is carried out.
type ExecutionRejected struct {
	By          string `json:"by" text:"name"`
	BriefSHA256 string `json:"briefSha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
	Reason      string `json:"reason,omitempty" text:"said"`
}

func (ExecutionRejected) Row() Row { return factRow("EXECUTION_REJECTED", "59") }
func (ExecutionRejected) ruling()  {}

// ExecutionStarted records that somebody carries out the brief.
type ExecutionStarted struct {
	By          string `json:"by" text:"name"`
	BriefSHA256 string `json:"briefSha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
}

func (ExecutionStarted) Row() Row { return factRow("EXECUTION_STARTED", "62") }
func (ExecutionStarted) ruling()  {}

// ExecutionFinished records how the execution ended.
type ExecutionFinished struct {
	By        string `json:"by" text:"name"`
	Succeeded bool   `json:"succeeded"`
	Note      string `json:"note,omitempty" text:"said"`
}

func (ExecutionFinished) Row() Row { return factRow("EXECUTION_FINISHED", "62") }
func (ExecutionFinished) ruling()  {}
