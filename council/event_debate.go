package council

// PhaseStarted begins a visit to a phase.
type PhaseStarted struct {
	Phase  PhaseID `json:"phase"`                        // the id of the phase
	Visit  int     `json:"visit" jsonschema:"minimum=1"` // counts all phases of the session from 1
	Goal   string  `json:"goal" text:"charter"`
	Reason string  `json:"reason,omitempty" text:"charter"` // that of the transition that led here
}

// Row implements [Payload].
func (PhaseStarted) Row() Row { return dueRow("PHASE_STARTED", "14") }

// RoundStarted begins a round.
type RoundStarted struct {
	Round int `json:"round" jsonschema:"minimum=1"` // from 1 within the visit
	Of    int `json:"of" jsonschema:"minimum=1"`    // how many there may be
}

func (RoundStarted) Row() Row { return dueRow("ROUND_STARTED", "15") }

// ContributionMade records a turn that added to the debate, or one that added an option to rank.
type ContributionMade struct {
	Answered
	Message string `json:"message" text:"said"`
	Option  string `json:"option,omitempty" text:"option"` // that it adds to those which the phase ranks, with the reasons

	// Existing things that it is the first to cite; only where the charter debates the contested only.
	Cites []string `json:"cites,omitempty" text:"id"`
}

func (ContributionMade) Row() Row { return replyRow("CONTRIBUTION_MADE", "16, 90, 225", AskTurn) }
func (p ContributionMade) reply() Reply {
	t := Turn{Action: ActionContribute, Message: p.Message, Option: p.Option}
	if p.Option != "" {
		t.Action = ActionAddOption
	}
	return p.Reply(t)
}

// TurnPassed records a turn that was passed.
type TurnPassed struct {
	Answered
	Reason string `json:"reason" text:"said"`
	Note   string `json:"note,omitempty" text:"said"`

	// Existing things that it is the first to cite; only where the charter debates the contested only.
	Cites []string `json:"cites,omitempty" text:"id"`
}

func (TurnPassed) Row() Row { return replyRow("TURN_PASSED", "16, 18, 90", AskTurn) }
func (p TurnPassed) reply() Reply {
	return p.Reply(Turn{Action: ActionPass, Reason: p.Reason, Note: p.Note})
}

// QuestionPut records a turn that put a question to one member, or to the person who convened the council.
type QuestionPut struct {
	Answered
	To       MemberID `json:"to"` // a member, or `convener`
	Question string   `json:"question" text:"said"`

	// It was put to the convener of a session without one who answers.
	Unanswered bool `json:"unanswered,omitempty"`
}

func (QuestionPut) Row() Row { return replyRow("QUESTION_PUT", "208, 211", AskTurn) }
func (p QuestionPut) reply() Reply {
	return p.Reply(Turn{Action: ActionAsk, To: p.To, Question: p.Question})
}

// QuestionAnswered records the answer to the question that was put last.
type QuestionAnswered struct {
	Answered
	Answer
}

func (QuestionAnswered) Row() Row       { return replyRow("QUESTION_ANSWERED", "209", AskReply) }
func (p QuestionAnswered) reply() Reply { return p.Reply(p.Answer) }

// TurnsOpened shows the turns of a round that was held together to everybody at once.
type TurnsOpened struct {
	Round int `json:"round" jsonschema:"minimum=1"`
}

func (TurnsOpened) Row() Row { return openingRow("TURNS_OPENED", "197") }

// DebateClosed ends the rounds of a phase.
type DebateClosed struct {
	Reason      DebateEnd  `json:"reason"`
	Resolutions []MotionID `json:"resolutions,omitempty"` // the motions of this visit in force, in order
}

func (DebateClosed) Row() Row { return dueRow("DEBATE_CLOSED", "18, 19, 35, 88, 91, 228") }

// DebateEnd is the reason why a debate ended.
type DebateEnd string

// The ends of a debate.
const (
	EndMajorityVote DebateEnd = "MAJORITY_VOTE"
	EndRoundLimit   DebateEnd = "ROUND_LIMIT"
	EndAllPassed    DebateEnd = "ALL_PASSED"
	EndUncontested  DebateEnd = "UNCONTESTED" // all members agreed, and the leader's motion carried at once
	EndUnanswered   DebateEnd = "UNANSWERED"  // no member answered in a whole round
	EndNothingNew   DebateEnd = "NOTHING_NEW" // in a whole round no motion was made and nothing cited for the first time
)

// ByVote reports whether a vote ended the debate.
func (d DebateEnd) ByVote() bool { return d == EndMajorityVote || d == EndUncontested }

// PhaseAssessed records the leader's judgement of a phase.
type PhaseAssessed struct {
	Answered
	Assessment
}

func (PhaseAssessed) Row() Row       { return replyRow("PHASE_ASSESSED", "37, 92", AskAssess) }
func (p PhaseAssessed) reply() Reply { return p.Reply(p.Assessment) }

// PhaseEnded records the results of a phase, checked against the record, and the next phase.
type PhaseEnded struct {
	Phase       PhaseID    `json:"phase"`
	Reason      DebateEnd  `json:"reason"`
	Resolutions []MotionID `json:"resolutions,omitempty"` // the motions of this visit in force, in order

	// The charter's words for a phase without a resolution.
	Fallback string `json:"fallback,omitempty" text:"charter"`

	// Without an assessment all that the charter requires is missing.
	Assessed     bool      `json:"assessed"`
	Deliverables []Finding `json:"deliverables,omitempty"`
	QualityGates []Finding `json:"qualityGates,omitempty"`

	// Requirements that the record does not show, in this order and these words: `deliverable <id>`, for
	// each required one; `quality gate: <the gate's words>`, for each; `citations: <n> of <minCitations>`, where `<n>`
	// is how many different existing citations the whole assessment has; `explicit assumptions`; `risk register`.
	Missing  []string `json:"missing,omitempty" text:"required"`
	BadCites []string `json:"badCites,omitempty" text:"cited"` // citations of things that do not exist

	Next        PhaseID `json:"next,omitempty"`        // absent: the session goes to its closing
	Via         Trigger `json:"via,omitempty"`         // of the transition taken
	ViaFallback bool    `json:"viaFallback,omitempty"` // the fallback led to `next`

	// The reason of the transition, or with `viaFallback` the resolution of the fallback.
	NextReason string `json:"nextReason,omitempty" text:"charter"`

	// A next phase was due and the transitions were used up; the four fields before are then absent.
	LimitReached bool `json:"limitReached,omitempty"`
}

func (PhaseEnded) Row() Row { return dueRow("PHASE_ENDED", "38 to 46") }

// Finding is a claim of the leader's assessment after its citations were checked.
type Finding struct {
	ID        string        `json:"id" text:"required"`
	Status    FindingStatus `json:"status"`
	Required  bool          `json:"required,omitempty"`
	Citations []string      `json:"citations,omitempty" text:"id"` // those that exist
}

// FindingStatus is COMPLETE or MISSING, and nothing between.
type FindingStatus string

// The statuses of a finding.
const (
	FindingComplete FindingStatus = "COMPLETE"
	FindingMissing  FindingStatus = "MISSING"
)
