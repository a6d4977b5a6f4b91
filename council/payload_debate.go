package council

import "github.com/council-engine/council/council/quorum"

// PhaseStarted begins a visit to a phase.
type PhaseStarted struct {
	Phase  PhaseID `json:"phase"`
	Visit  int     `json:"visit"` // counts all phases of the session from 1
	Goal   string  `json:"goal"`
	Reason string  `json:"reason,omitempty"` // of the transition that led here
}

// RoundStarted begins a round.
type RoundStarted struct {
	Round int `json:"round"`
	Of    int `json:"of"`
}

// ContributionMade is a turn that added to the debate.
type ContributionMade struct {
	Answered
	Message string   `json:"message"`
	Cites   []string `json:"cites,omitempty"` // what it was the first to cite, where the charter has that told apart
}

// TurnPassed is a turn that was passed.
type TurnPassed struct {
	Answered
	Reason string `json:"reason"`
	Note   string `json:"note,omitempty"`

	Cites []string `json:"cites,omitempty"` // as in ContributionMade
}

// MotionMade is a turn that moved a motion.
type MotionMade struct {
	Answered
	Motion         MotionID `json:"motion"`
	MotionTitle    string   `json:"motionTitle"`
	MotionText     string   `json:"motionText"`
	DecisionIfPass string   `json:"decisionIfPass"`
}

// SecondAnswered is one member's answer to a call for a second.
type SecondAnswered struct {
	Answered
	Motion MotionID `json:"motion"`
	Second
}

// MotionSeconded names the seconder: the first who seconds in the order of the lot.
type MotionSeconded struct {
	Motion   MotionID `json:"motion"`
	Seconder MemberID `json:"seconder"`
}

// MotionDied says that nobody seconded.
type MotionDied struct {
	Motion MotionID `json:"motion"`
}

// Subject is what a ballot is about: exactly one of Motion and Draft is set.
type Subject struct {
	Motion MotionID  `json:"motion,omitempty"`
	Draft  *DraftRef `json:"draft,omitempty"`
}

// DraftRef names one version of the document.
type DraftRef struct {
	Version int    `json:"version"`
	SHA256  string `json:"sha256"`
}

// BallotCast is one member's vote.
type BallotCast struct {
	Answered
	Subject
	Ballot
}

// Decision is the count of a vote, with everything needed to count it again.
type Decision struct {
	Result quorum.Result `json:"result"`
	Rule   quorum.Rule   `json:"rule"`
	Count  quorum.Count  `json:"count"`
	Needed int           `json:"needed"` // YES ballots
	Of     int           `json:"of"`     // the denominator
}

// MotionDecided is the result of a vote on a motion.
type MotionDecided struct {
	Motion MotionID `json:"motion"`
	Decision
}

// DebateClosed ends the rounds of a phase.
type DebateClosed struct {
	Reason     DebateEnd `json:"reason"`
	Resolution MotionID  `json:"resolution,omitempty"` // the last motion carried in this visit
}

// DebateEnd says why a debate ended.
type DebateEnd string

// The ends of a debate.
const (
	EndMajorityVote DebateEnd = "MAJORITY_VOTE"
	EndRoundLimit   DebateEnd = "ROUND_LIMIT"
	EndAllPassed    DebateEnd = "ALL_PASSED"
	EndUncontested  DebateEnd = "UNCONTESTED" // nobody was of another mind, and the leader's motion carried at once
	EndUnanswered   DebateEnd = "UNANSWERED"  // nobody answered in a whole round
	EndNothingNew   DebateEnd = "NOTHING_NEW" // in a whole round nobody moved, and nothing was cited for the first time
)

// ByVote reports whether a vote ended the debate.
func (d DebateEnd) ByVote() bool { return d == EndMajorityVote || d == EndUncontested }

// PhaseAssessed is the leader's judgement of a phase.
type PhaseAssessed struct {
	Answered
	Assessment
}

// PhaseEnded says what a phase produced, checked against the record, and where the session goes.
type PhaseEnded struct {
	Phase        PhaseID   `json:"phase"`
	Reason       DebateEnd `json:"reason"`
	Resolution   MotionID  `json:"resolution,omitempty"`
	Fallback     string    `json:"fallback,omitempty"` // the charter's words for a phase without a resolution
	Assessed     bool      `json:"assessed"`
	Deliverables []Finding `json:"deliverables,omitempty"`
	QualityGates []Finding `json:"qualityGates,omitempty"`
	Missing      []string  `json:"missing,omitempty"`     // what the charter requires and the record does not show
	BadCites     []string  `json:"badCites,omitempty"`    // citations of what does not exist
	Next         PhaseID   `json:"next,omitempty"`        // empty: the session goes to its closing
	Via          Trigger   `json:"via,omitempty"`         // of the transition taken
	ViaFallback  bool      `json:"viaFallback,omitempty"` // the fallback led to Next
	NextReason   string    `json:"nextReason,omitempty"`  // the transition's own words
	LimitReached bool      `json:"limitReached,omitempty"`
}

// Finding is a claim of the leader's assessment after its citations were checked.
type Finding struct {
	ID        string        `json:"id"`
	Status    FindingStatus `json:"status"`
	Required  bool          `json:"required,omitempty"`
	Citations []string      `json:"citations,omitempty"` // those that exist
}

// FindingStatus is COMPLETE or MISSING. There is nothing between: what is not shown is missing.
type FindingStatus string

// The statuses of a finding.
const (
	FindingComplete FindingStatus = "COMPLETE"
	FindingMissing  FindingStatus = "MISSING"
)
