package council

import "reflect"

// payloads holds one of each payload, in the order of the protocol.
var payloads = []Payload{
	SessionStarted{}, MemoryRecalled{}, PositionSealed{}, PositionsOpened{}, LeaderBallotCast{}, LeaderElected{},
	LeaderSucceeded{},
	PhaseStarted{}, RoundStarted{}, ContributionMade{}, TurnPassed{}, MotionMade{}, SecondAnswered{},
	MotionSeconded{}, MotionDied{}, BallotCast{}, MotionDecided{}, DebateClosed{}, PhaseAssessed{}, PhaseEnded{},
	SummaryWritten{}, DraftWritten{}, DraftDecided{}, ReviewGiven{}, DissentWritten{}, SessionClosed{},
	MemberFaulted{}, SessionSuspended{}, SessionResumed{}, SessionAdjourned{}, BudgetAmended{}, ServerMoved{}, BriefAmended{},
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
func (MemoryRecalled) EventType() EventType    { return TypeMemoryRecalled }
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
func (ServerMoved) EventType() EventType       { return TypeServerMoved }
func (BriefAmended) EventType() EventType      { return TypeBriefAmended }
func (ExecutionApproved) EventType() EventType { return TypeExecutionApproved }
func (ExecutionRejected) EventType() EventType { return TypeExecutionRejected }
func (ExecutionStarted) EventType() EventType  { return TypeExecutionStarted }
func (ExecutionFinished) EventType() EventType { return TypeExecutionFinished }
