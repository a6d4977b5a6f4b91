package council

import "reflect"

// ForgottenMark stands where words were forgotten.
const ForgottenMark = "[forgotten]"

// Event is one entry of a session's log: a fact from outside, or a consequence of the log before it.
type Event struct {
	Seq     Seq
	Phase   PhaseID  // the phase under way, if any
	Round   int      // from 1 within a phase visit; 0 outside rounds
	Turn    int      // from 1 within a round; 0 outside turns, and in a round that is held together
	Actor   MemberID // who spoke; empty for consequences and rulings
	Payload Payload
}

// Payload is the content of an event. Each type of event stands whole in one of the files event_<part>.go, and has its
// place in the list below: the set is closed.
type Payload interface{ Row() Row }

// Row describes a type of event.
type Row struct {
	Type        EventType // the name on the wire
	Consequence bool      // it follows from the log; else it is a fact, from a member or a person
	Answers     AskKind   // the ask to which it records the answer, if any
	Opens       bool      // it shows the answers that were sealed
	Lasts       bool      // a member whose conversation starts again is told it again
}

// opens is the row of a consequence that shows the answers that were sealed.
func opens(t EventType) Row { return Row{Type: t, Consequence: true, Opens: true} }

// EventType names a type of event on the wire, such as "MOTION_MADE".
type EventType string

// payloads holds one of each payload, in the order of the protocol.
var payloads = []Payload{
	SessionStarted{}, MemoryRecalled{}, PositionSealed{}, PositionsOpened{}, Baseline{}, LeaderBallotCast{},
	LeaderElected{}, LeaderSucceeded{},
	PhaseStarted{}, RoundStarted{}, ContributionMade{}, TurnPassed{}, QuestionPut{}, QuestionAnswered{}, MotionMade{},
	TurnsOpened{}, SecondAnswered{},
	MotionSeconded{}, MotionDied{}, AmendmentsAnswered{}, AmendmentsWeighed{}, AmendmentDecided{}, MotionAmended{},
	ChoicePut{}, BallotCast{}, RankingCast{}, MotionDecided{}, DebateClosed{}, PhaseAssessed{}, PhaseEnded{},
	SummaryWritten{}, DraftWritten{}, DraftDecided{}, ReviewGiven{}, DissentWritten{}, SessionClosed{},
	MemberFaulted{}, SessionSuspended{},
	SessionResumed{}, SessionAdjourned{}, NoteGiven{}, BudgetAmended{}, ServerMoved{}, BriefAmended{},
	ExecutionApproved{}, ExecutionRejected{}, ExecutionStarted{}, ExecutionFinished{},
}

// Ruling is a decision by the people who convened the council, as they make it and as its event records it. The set is
// closed.
type Ruling interface {
	Payload
	ruling()
}

// Type returns the event's name on the wire.
func (e Event) Type() EventType { return e.Payload.Row().Type }

// TypeOf returns the name on the wire of the events with payloads of type P.
func TypeOf[P Payload]() EventType {
	var p P
	return p.Row().Type
}

// EventTypes lists every type of event in the order of the protocol.
func EventTypes() []EventType {
	types := make([]EventType, len(payloads))
	for i, p := range payloads {
		types[i] = p.Row().Type
	}
	return types
}

// NewPayload returns a pointer to an empty payload of the given type for decoding into, or nil for a type that this
// version does not know. Events hold payloads by value: see [Deref].
func NewPayload(t EventType) any {
	for _, p := range payloads {
		if p.Row().Type == t {
			return reflect.New(reflect.TypeOf(p)).Interface()
		}
	}
	return nil
}

// Deref returns the payload that p, made by [NewPayload], points to, or nil if p is another pointer.
func Deref(p any) Payload {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil
	}
	payload, _ := v.Elem().Interface().(Payload)
	return payload
}

// Blind reports whether answers to all asks of the kind are sealed until all of them are in: members that are yet to
// answer must not see them. Turns may be blind too, see [View.Blind].
func (k AskKind) Blind() bool {
	return k == AskPosition || k == AskNominate || k == AskSecond || k == AskAmend ||
		k == AskBallot || k == AskRank
}

// Sealed reports whether an event records an answer that was given blind, or the lack of one: it is shown only with a
// later event that opens it.
func (e Event) Sealed() bool { return e.Payload != nil && blind(e.Payload.Row().Answers, e.Turn) }

// blind reports whether answers to a kind of ask are sealed. Turns are in a round that is held together, where
// nobody's turn has a number.
func blind(k AskKind, turn int) bool { return k.Blind() || k == AskTurn && turn == 0 }

// Opens reports whether an event shows the answers that were sealed.
func (e Event) Opens() bool { return e.Payload != nil && e.Payload.Row().Opens }
