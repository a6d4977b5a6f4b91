package council

import (
	"iter"
	"reflect"
	"strings"
)

const ForgottenMark = "[forgotten]" // replaces forgotten words

// Event is one entry of a session's log: a fact from outside, or a consequence of the log before it.
type Event struct {
	Seq     Seq
	Phase   PhaseID  // the phase under way, if any
	Round   int      // from 1 within a phase visit; 0 outside rounds
	Turn    int      // from 1 within a round; 0 outside turns, and in a round that is held together
	Actor   MemberID // who spoke; empty for consequences and rulings
	Payload Payload
}

// Payload is the content of an event. Each type is defined in a file event_<part>.go and listed below: a closed set.
type Payload interface{ Row() Row }

// Row describes a type of event.
type Row struct {
	Type        EventType // the name on the wire
	Protocol    string    // the sentences of docs/protocol.md on it, such as "24, 187"
	Consequence bool      // it follows from the log; else it is a fact, from a member or a person
	Answers     AskKind   // the ask to which it records the answer, if any
	Opens       bool      // it shows the answers that were sealed
	Lasts       bool      // it is repeated to a member whose conversation starts again
}

// The rows of a reply, of another fact, of a consequence, and of one that shows the answers that were sealed.
func replyRow(t EventType, protocol string, k AskKind) Row {
	return Row{Type: t, Protocol: protocol, Answers: k}
}
func factRow(t EventType, protocol string) Row { return Row{Type: t, Protocol: protocol} }
func dueRow(t EventType, protocol string) Row {
	return Row{Type: t, Protocol: protocol, Consequence: true}
}
func openingRow(t EventType, protocol string) Row {
	return Row{Type: t, Protocol: protocol, Consequence: true, Opens: true}
}

// EventType names a type of event on the wire, such as "MOTION_MADE".
type EventType string

// payloads holds one of each payload, in the order of the protocol.
var payloads = []Payload{SessionStarted{}, MemoryRecalled{}, PositionSealed{}, PositionsOpened{}, Baseline{},
	LeaderBallotCast{}, LeaderElected{}, LeaderSucceeded{}, AnswersProposed{}, PhaseStarted{}, RoundStarted{},
	ContributionMade{}, TurnPassed{}, QuestionPut{}, QuestionAnswered{}, MotionMade{}, TurnsOpened{}, SecondAnswered{},
	MotionSeconded{}, MotionDied{}, AmendmentsAnswered{}, AmendmentsWeighed{}, AmendmentDecided{}, MotionAmended{},
	ChoicePut{}, BallotCast{}, RankingCast{}, MotionDecided{}, DebateClosed{}, PhaseAssessed{}, PhaseEnded{},
	SummaryWritten{}, DraftWritten{}, DraftDecided{}, ReviewGiven{}, DissentWritten{}, SessionClosed{}, MemberFaulted{},
	SessionSuspended{}, SessionResumed{}, SessionAdjourned{}, NoteGiven{}, BudgetAmended{}, ServerMoved{},
	MembersExcluded{}, BriefAmended{}, ExecutionApproved{}, ExecutionRejected{}, ExecutionStarted{}, ExecutionFinished{}}

// Ruling is a decision by the people who convened the council, as its event records it. The set is closed.
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
	return Map(payloads, func(p Payload) EventType { return p.Row().Type })
}

// NewPayload returns a pointer to an empty payload of the given type for decoding into, or nil for a type that this
// version does not know. Events hold payloads by value: see [Deref].
func NewPayload(t EventType) any {
	if p := Find(payloads, func(p Payload) bool { return p.Row().Type == t }); p != nil {
		return reflect.New(reflect.TypeOf(*p)).Interface()
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
	return k == AskPosition || k == AskNominate || k == AskSecond || k == AskAmend || k == AskBallot || k == AskRank
}

// Sealed reports whether an event records an answer given blind, or its lack, to be shown with one that opens it.
func (e Event) Sealed() bool { return e.Payload != nil && blind(e.Payload.Row().Answers, e.Turn) }

// blind reports whether answers to a kind of ask are sealed. Turns are, if they have no number: in a round together.
func blind(k AskKind, turn int) bool { return k.Blind() || k == AskTurn && turn == 0 }

// Opens reports whether an event shows the answers that were sealed.
func (e Event) Opens() bool { return e.Payload != nil && e.Payload.Row().Opens }

// TextKind is the kind of a text in an event. It is the tag "text" of the field, so that erasing words, checking
// citations and hiding names share one walk. A field with the tag "-" is skipped: it holds no words.
type TextKind string

// The kinds of texts. Fields of type [MemberID] need no tag.
const (
	TextID     TextKind = "id"     // no words: an id, a digest, a word from a fixed list
	TextMember TextKind = "member" // the id of a member

	TextBlocker TextKind = "blocker" // the id of a blocker, which names its member
	TextName    TextKind = "name"    // the name of a person, a file
	TextSpeaker TextKind = "speaker" // the name of a member of an earlier session

	TextSaid     TextKind = "said"     // prose of a member or a person
	TextShort    TextKind = "short"    // a title, a message: words of theirs in which citations have no place
	TextOption   TextKind = "option"   // of a choice: rankings name it by its words
	TextStance   TextKind = "stance"   // a stance, as short
	TextDraft    TextKind = "draft"    // prose that a digest on record names
	TextBrief    TextKind = "brief"    // prose of an execution brief: one digest names all of it
	TextResult   TextKind = "result"   // of a tool; a digest names it
	TextDocument TextKind = "document" // given to the council; a digest names it
	TextQuery    TextKind = "query"    // drawn from the topic
	TextCited    TextKind = "cited"    // a citation
	TextCompared TextKind = "compared" // a name that the rules compare

	TextCharter  TextKind = "charter"  // from the configuration
	TextRequired TextKind = "required" // from the configuration, and the rules hold claims against it
)

// Prose reports whether members cite in texts of the kind.
func (k TextKind) Prose() bool { return k == TextSaid || k == TextDraft || k == TextBrief }

// Texts yields the texts of a payload, or of a part of one, in the order of its fields. Blank ones are left out.
func Texts(v any) iter.Seq2[TextKind, string] {
	return func(yield func(TextKind, string) bool) {
		more := true
		EditTexts(v, func(kind TextKind, text string) string {
			more = more && yield(kind, text)
			return text
		})
	}
}

// EditTexts returns a copy of a payload, or of a part of one, with each text that is not blank edited.
func EditTexts[T any](v T, edit func(kind TextKind, text string) string) T {
	in := reflect.ValueOf(v)
	if !in.IsValid() {
		return v
	}
	return editTexts(in, "", edit).Interface().(T)
}

func editTexts(v reflect.Value, kind TextKind, edit func(TextKind, string) string) reflect.Value {
	switch k := v.Kind(); {
	case (k == reflect.Slice || k == reflect.Pointer) && v.IsNil():
		return v
	case k == reflect.String:
		if v.Type() == reflect.TypeFor[MemberID]() {
			kind = TextMember
		} else if v.Type() != reflect.TypeFor[string]() {
			return v
		}
		if strings.TrimSpace(v.String()) == "" {
			return v
		}
		return reflect.ValueOf(edit(kind, v.String())).Convert(v.Type())
	case k == reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if kind := TextKind(v.Type().Field(i).Tag.Get("text")); kind != "-" {
				out.Field(i).Set(editTexts(v.Field(i), kind, edit))
			}
		}
		return out
	case k == reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(editTexts(v.Index(i), kind, edit))
		}
		return out
	case k == reflect.Pointer:
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(editTexts(v.Elem(), kind, edit))
		return out
	}
	return v
}
