package council

// ForgottenMark stands where words were forgotten.
const ForgottenMark = "[forgotten]"

// Event is one entry of a session's log: a fact from outside, or a consequence of the log before it.
type Event struct {
	Seq     Seq
	Phase   PhaseID  // the phase under way, if any
	Round   int      // from 1 within a phase visit; 0 outside rounds
	Turn    int      // from 1 within a round; 0 outside turns
	Actor   MemberID // who spoke; empty for consequences and rulings
	Payload Payload
}

// Type is the event's name on the wire.
func (e Event) Type() EventType { return e.Payload.EventType() }

// Payload is what an event says. The set is closed: [NewPayload] makes one of each.
type Payload interface{ EventType() EventType }

// EventType names a kind of event.
type EventType string

// The events. Facts come from members and people; consequences follow from the log.
const (
	// Opening.
	TypeSessionStarted   EventType = "SESSION_STARTED"    // fact: the charter and topic
	TypeMemoryRecalled   EventType = "MEMORY_RECALLED"    // fact: what memory holds on the topic
	TypePositionSealed   EventType = "POSITION_SEALED"    // fact
	TypePositionsOpened  EventType = "POSITIONS_OPENED"   // consequence
	TypeLeaderBallotCast EventType = "LEADER_BALLOT_CAST" // fact
	TypeLeaderElected    EventType = "LEADER_ELECTED"     // consequence
	TypeLeaderSucceeded  EventType = "LEADER_SUCCEEDED"   // consequence

	// Phases.
	TypePhaseStarted     EventType = "PHASE_STARTED"     // consequence
	TypeRoundStarted     EventType = "ROUND_STARTED"     // consequence
	TypeContributionMade EventType = "CONTRIBUTION_MADE" // fact
	TypeTurnPassed       EventType = "TURN_PASSED"       // fact
	TypeMotionMade       EventType = "MOTION_MADE"       // fact
	TypeSecondAnswered   EventType = "SECOND_ANSWERED"   // fact
	TypeMotionSeconded   EventType = "MOTION_SECONDED"   // consequence
	TypeMotionDied       EventType = "MOTION_DIED"       // consequence
	TypeBallotCast       EventType = "BALLOT_CAST"       // fact
	TypeMotionDecided    EventType = "MOTION_DECIDED"    // consequence
	TypeDebateClosed     EventType = "DEBATE_CLOSED"     // consequence
	TypePhaseAssessed    EventType = "PHASE_ASSESSED"    // fact
	TypePhaseEnded       EventType = "PHASE_ENDED"       // consequence

	// Closing.
	TypeSummaryWritten EventType = "SUMMARY_WRITTEN" // fact
	TypeDraftWritten   EventType = "DRAFT_WRITTEN"   // fact
	TypeDraftDecided   EventType = "DRAFT_DECIDED"   // consequence
	TypeReviewGiven    EventType = "REVIEW_GIVEN"    // fact
	TypeDissentWritten EventType = "DISSENT_WRITTEN" // fact
	TypeSessionClosed  EventType = "SESSION_CLOSED"  // consequence

	// Faults.
	TypeMemberFaulted    EventType = "MEMBER_FAULTED"    // fact
	TypeSessionSuspended EventType = "SESSION_SUSPENDED" // fact, or a consequence of a spent budget

	// Rulings: facts from the people who convened the council.
	TypeSessionResumed    EventType = "SESSION_RESUMED"
	TypeSessionAdjourned  EventType = "SESSION_ADJOURNED"
	TypeServerMoved       EventType = "SERVER_MOVED" // fact
	TypeBudgetAmended     EventType = "BUDGET_AMENDED"
	TypeBriefAmended      EventType = "BRIEF_AMENDED"
	TypeExecutionApproved EventType = "EXECUTION_APPROVED"
	TypeExecutionRejected EventType = "EXECUTION_REJECTED"
	TypeExecutionStarted  EventType = "EXECUTION_STARTED"
	TypeExecutionFinished EventType = "EXECUTION_FINISHED"
)

// NewPayload returns a pointer to an empty payload of the given type for decoding into, or nil for a type that this
// version does not know. Events hold payloads by value: see [Deref].
func NewPayload(t EventType) any {
	for _, p := range payloads {
		if p.EventType() == t {
			return newOf(p)
		}
	}
	return nil
}

// EventTypes lists every type of event in the order of the protocol.
func EventTypes() []EventType {
	types := make([]EventType, len(payloads))
	for i, p := range payloads {
		types[i] = p.EventType()
	}
	return types
}
