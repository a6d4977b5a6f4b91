package council

import (
	"reflect"

	"github.com/council-engine/council/council/quorum"
)

// Answered is part of every event that records a reply.
type Answered struct {
	Ask   AskID `json:"ask"`
	AsOf  Seq   `json:"asOf"` // the last event that the member could know
	Usage Usage `json:"usage,omitzero"`
}

// SessionStarted freezes everything that was settled before the council met.
type SessionStarted struct {
	Rules   int       `json:"rules"` // version of the rules; see package rules
	Session SessionID `json:"session"`
	Topic   Topic     `json:"topic"`
	Charter Charter   `json:"charter"`
}

// PositionSealed is one member's opinion before discussion.
type PositionSealed struct {
	Answered
	Position
}

// PositionsOpened shows all sealed positions to everybody at once.
type PositionsOpened struct {
	Sealed int `json:"sealed"`
	Absent int `json:"absent,omitempty"`
}

// LeaderBallotCast is one member's vote for a leader.
type LeaderBallotCast struct {
	Answered
	Nomination
}

// LeaderElected counts the votes for a leader. Ranking is the line of succession: votes first, then seat order.
type LeaderElected struct {
	Leader  MemberID         `json:"leader"`
	Votes   []CandidateVotes `json:"votes,omitempty"` // those with at least one vote, in the order of the ranking
	Tie     bool             `json:"tie"`             // the earlier seat won over others with as many votes
	Invalid int              `json:"invalid,omitempty"`
	Absent  int              `json:"absent,omitempty"`
	Ranking []MemberID       `json:"ranking"`
}

// CandidateVotes is one candidate's count.
type CandidateVotes struct {
	Candidate MemberID `json:"candidate"`
	Votes     int      `json:"votes"`
}

// LeaderSucceeded puts the next in line in the place of a leader that could not answer.
type LeaderSucceeded struct {
	From    MemberID `json:"from"`
	To      MemberID `json:"to"`
	Because AskID    `json:"because"`
}

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
	Message string `json:"message"`
}

// TurnPassed is a turn that was passed.
type TurnPassed struct {
	Answered
	Reason string `json:"reason"`
	Note   string `json:"note,omitempty"`
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

// MotionSeconded names the seconder: the first in seat order.
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
)

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

// BriefAmended replaces the execution brief; earlier approvals are void.
type BriefAmended struct {
	By          string `json:"by"`
	Brief       Brief  `json:"brief"`
	BriefSHA256 string `json:"briefSha256"`
}

// ExecutionApproved approves one brief, named by its digest.
type ExecutionApproved struct {
	By          string `json:"by"`
	BriefSHA256 string `json:"briefSha256"`
	Note        string `json:"note,omitempty"`
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

// SessionClosed is the commit point: what the session came to.
type SessionClosed struct {
	Outcome
}

// payloads holds one of each payload, in the order of the protocol.
var payloads = []Payload{
	SessionStarted{}, PositionSealed{}, PositionsOpened{}, LeaderBallotCast{}, LeaderElected{}, LeaderSucceeded{},
	PhaseStarted{}, RoundStarted{}, ContributionMade{}, TurnPassed{}, MotionMade{}, SecondAnswered{},
	MotionSeconded{}, MotionDied{}, BallotCast{}, MotionDecided{}, DebateClosed{}, PhaseAssessed{}, PhaseEnded{},
	SummaryWritten{}, DraftWritten{}, DraftDecided{}, ReviewGiven{}, DissentWritten{}, SessionClosed{},
	MemberFaulted{}, SessionSuspended{}, SessionResumed{}, SessionAdjourned{}, BudgetAmended{}, BriefAmended{},
	ExecutionApproved{}, ExecutionRejected{}, ExecutionStarted{}, ExecutionFinished{},
}

func newOf(p Payload) any { return reflect.New(reflect.TypeOf(p)).Interface() }

// Deref returns the payload that p, made by [NewPayload], points to, or nil if p is no such pointer.
func Deref(p any) Payload {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil
	}
	payload, _ := v.Elem().Interface().(Payload)
	return payload
}

// EventType says which event carries the payload.
func (SessionStarted) EventType() EventType    { return TypeSessionStarted }
func (PositionSealed) EventType() EventType    { return TypePositionSealed }
func (PositionsOpened) EventType() EventType   { return TypePositionsOpened }
func (LeaderBallotCast) EventType() EventType  { return TypeLeaderBallotCast }
func (LeaderElected) EventType() EventType     { return TypeLeaderElected }
func (LeaderSucceeded) EventType() EventType   { return TypeLeaderSucceeded }
func (PhaseStarted) EventType() EventType      { return TypePhaseStarted }
func (RoundStarted) EventType() EventType      { return TypeRoundStarted }
func (ContributionMade) EventType() EventType  { return TypeContributionMade }
func (TurnPassed) EventType() EventType        { return TypeTurnPassed }
func (MotionMade) EventType() EventType        { return TypeMotionMade }
func (SecondAnswered) EventType() EventType    { return TypeSecondAnswered }
func (MotionSeconded) EventType() EventType    { return TypeMotionSeconded }
func (MotionDied) EventType() EventType        { return TypeMotionDied }
func (BallotCast) EventType() EventType        { return TypeBallotCast }
func (MotionDecided) EventType() EventType     { return TypeMotionDecided }
func (DebateClosed) EventType() EventType      { return TypeDebateClosed }
func (PhaseAssessed) EventType() EventType     { return TypePhaseAssessed }
func (PhaseEnded) EventType() EventType        { return TypePhaseEnded }
func (SummaryWritten) EventType() EventType    { return TypeSummaryWritten }
func (DraftWritten) EventType() EventType      { return TypeDraftWritten }
func (DraftDecided) EventType() EventType      { return TypeDraftDecided }
func (ReviewGiven) EventType() EventType       { return TypeReviewGiven }
func (DissentWritten) EventType() EventType    { return TypeDissentWritten }
func (SessionClosed) EventType() EventType     { return TypeSessionClosed }
func (MemberFaulted) EventType() EventType     { return TypeMemberFaulted }
func (SessionSuspended) EventType() EventType  { return TypeSessionSuspended }
func (SessionResumed) EventType() EventType    { return TypeSessionResumed }
func (SessionAdjourned) EventType() EventType  { return TypeSessionAdjourned }
func (BudgetAmended) EventType() EventType     { return TypeBudgetAmended }
func (BriefAmended) EventType() EventType      { return TypeBriefAmended }
func (ExecutionApproved) EventType() EventType { return TypeExecutionApproved }
func (ExecutionRejected) EventType() EventType { return TypeExecutionRejected }
func (ExecutionStarted) EventType() EventType  { return TypeExecutionStarted }
func (ExecutionFinished) EventType() EventType { return TypeExecutionFinished }
