// Package rules is the protocol of a deliberation, as a pure fold over events.
//
// A [Session] is rebuilt from its log by [Replay] and moved by [Session.Apply], its only mutator. [Session.Ready]
// returns what it wants next: a due consequence to record, questions to put to members, or nothing more because it is
// closed. [Session.Answer] and [Session.Rule] turn a member's reply or a person's ruling into the event to record;
// they decide and change nothing.
//
// Every event is a fact from outside (a reply, a ruling) or a consequence, which is a function of the log before
// it. Apply recomputes both and refuses what the rules do not yield, so a log that replays is a log whose every
// vote has been counted again.
//
// The rules are stated, sentence by sentence, in docs/protocol.md.
//
// The package is stable as docs/library.md says.
package rules

import (
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/council-engine/council/council"
)

// Version is the version of the rules in this package. A log that was opened under another version can be read
// and rendered, but not replayed here.
const Version = 1

// Session is a deliberation as far as its log goes. It belongs to one goroutine.
type Session struct {
	id      council.SessionID
	topic   council.Topic
	charter council.Charter
	reached council.Charter // the charter with the addresses that rulings made of its
	memory  []council.Reminder
	seats   []council.MemberID
	log     []council.Event

	// What is next. At most one of owed and open is ever acted upon: owed first.
	owed      council.Payload
	open      group
	suspended *council.Fault
	outcome   *council.Outcome
	adjourned bool

	budget council.Budget // the charter's, or what a ruling made of it
	spent  ledger

	// The election.
	votes      map[council.MemberID]int
	badBallots int // nominations that were invalid
	noBallots  int // members absent from the election
	sealed     int
	leader     council.MemberID
	ranking    []council.MemberID // of the election: who stands in when the leader cannot answer
	handover   council.AskKind    // the question that the next in the ranking is asked
	again      int                // how often all positions were asked for anew

	// The phase under way, and the round and turn within it. Zero between phases.
	phase       *council.Phase
	visit       int
	transitions int
	round       int
	turn        int
	spoke       int               // contributions and motions in this round
	passed      int               // passes in this round
	moved       int               // motions, questions and added options in this round
	asked       int               // questions in this visit
	together    bool              // all members have their turn of this round at once
	table       []*council.Motion // the motions of a round together
	early       early
	motion      *council.Motion
	amending    amending
	question    *council.Question
	vote        vote              // the ballots being collected
	standing    []resolved        // in this visit
	ending      council.DebateEnd // why the debate ends once the choice that is put is decided; "" otherwise
	debate      council.DebateClosed
	assessment  *council.Assessment
	lastPhase   council.PhaseID
	added       []council.Added // the options that members added in the session

	// The result of the last visit to the deciding phase: the motions that stand, else the vote on the last that it
	// lost.
	decided   []resolved
	lost      vote
	undecided *council.Undecided // what the leader gives in the place of a decision

	// The closing.
	version   int // of the draft being written, voted on or reviewed; 0 before any
	draft     *council.DraftWritten
	draftVote vote
	approved  bool
	blockers  []council.Blocker
	handoff   council.Handoff
}

// Open checks the charter, the topic and the reminders, and returns the first event of a session. Reminders may come
// in any order, at most one for the council and one for each member; those without records are left out. Its error is
// [council.ErrBadCharter].
func Open(
	id council.SessionID, topic council.Topic, c council.Charter, memory ...council.Reminder,
) (council.Event, error) {
	started := council.SessionStarted{Rules: Version, Session: id, Topic: topic, Charter: c, Memory: inOrder(&c, memory)}
	return council.Event{Seq: 1, Payload: started}, checkOpening(started)
}

// Replay rebuilds a session from its log. Its error is the log's own, or [ErrBadEvent].
func Replay(log iter.Seq2[council.Event, error]) (*Session, error) {
	s := &Session{}
	for e, err := range log {
		if err != nil {
			return nil, err
		}
		if err := s.Apply(e); err != nil {
			return nil, err
		}
	}
	if len(s.log) == 0 {
		return nil, badEvent("the log is empty")
	}
	return s, nil
}

// Log returns events in the form that [Replay] reads.
func Log(events ...council.Event) iter.Seq2[council.Event, error] {
	return func(yield func(council.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Ready returns what the session wants next. It is a pure read: the same log gives the same answer. A suspended
// session still lists its open asks, so that whoever resumes it knows what is missing.
func (s *Session) Ready() council.Ready {
	switch {
	case s.outcome != nil:
		outcome := *s.outcome
		return council.Ready{Outcome: &outcome}
	case s.owed != nil:
		e := s.event(s.owed, "")
		return council.Ready{Event: &e}
	}
	return council.Ready{Asks: s.open.pending()}
}

// Apply takes one event into the session. An event that the rules do not yield here is refused with [ErrBadEvent]
// and changes nothing.
func (s *Session) Apply(e council.Event) error {
	want, err := s.expect(e)
	if err != nil {
		return badEvent("event %d: %v", e.Seq, err)
	}
	if !reflect.DeepEqual(want, e) {
		return badEvent("event %d (%s) is not what the rules yield", e.Seq, e.Type())
	}
	s.owed = nil
	s.log = append(s.log, e)
	s.take(e)
	s.takeGiven(e)
	return nil
}

// expect computes the event that e claims to be.
func (s *Session) expect(e council.Event) (council.Event, error) {
	if e.Payload == nil {
		return council.Event{}, errors.New("it has no payload")
	}
	if len(s.log) == 0 {
		started, ok := e.Started()
		if !ok {
			return council.Event{}, errors.New("a log begins with " + string(council.TypeOf[council.SessionStarted]()))
		}
		return council.Event{Seq: 1, Payload: started}, checkOpening(started)
	}
	if s.owed != nil {
		return s.event(s.owed, ""), nil
	}
	if r, ok := e.Reply(); ok {
		return s.Answer(r)
	}
	if r, ok := e.Payload.(council.Ruling); ok {
		return s.Rule(r)
	}
	return council.Event{}, errors.New("no " + string(e.Type()) + " is due")
}

// event places a payload where the session stands.
func (s *Session) event(p council.Payload, actor council.MemberID) council.Event {
	e := council.Event{Seq: council.Seq(len(s.log) + 1), Round: s.round, Turn: s.turn, Actor: actor, Payload: p}
	if s.phase != nil {
		e.Phase = s.phase.ID
	}
	return e
}

// ID returns the session's id.
func (s *Session) ID() council.SessionID { return s.id }

// Charter returns the frozen charter. The budget and the addresses in force may be others: see [Session.Budget] and
// [Session.Reached].
func (s *Session) Charter() *council.Charter { return &s.charter }

// Reached returns the charter with the addresses at which members are asked now.
func (s *Session) Reached() *council.Charter { return &s.reached }

// Topic returns the council's topic.
func (s *Session) Topic() *council.Topic { return &s.topic }

// Events returns the log. It must not be changed.
func (s *Session) Events() []council.Event { return s.log[:len(s.log):len(s.log)] }

// Leader returns the member that leads, or "" before the election.
func (s *Session) Leader() council.MemberID { return s.leader }

// Suspended returns the fault for which the session is suspended, or nil.
func (s *Session) Suspended() *council.Fault { return s.suspended }

// Brief returns the execution brief as amended, with the SHA-256 that an approval must name; nil when there is none.
func (s *Session) Brief() (*council.Brief, string) { return s.handoff.Brief, s.handoff.BriefSHA256 }

// Handoff returns how far the execution has come, with the rulings on the brief and what withholds it.
func (s *Session) Handoff() council.Handoff { return s.handoff }

// Sentinels of a session. All are wrapped with what was wrong.
var (
	// ErrNotPending: the reply answers no open ask. It is late or a duplicate; drop it.
	ErrNotPending = errors.New("no such ask is open")
	// ErrBadRuling: the ruling does not apply to the session as it stands.
	ErrBadRuling = errors.New("ruling does not apply")
	// ErrBadEvent: the event is not what the rules yield here: another log, another version, or tampering.
	ErrBadEvent = errors.New("event does not follow from the log")
)

func badReply(format string, args ...any) error {
	return fmt.Errorf("%w: %s", council.ErrBadReply, fmt.Sprintf(format, args...))
}

func badEvent(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadEvent, fmt.Sprintf(format, args...))
}

func badRuling(format string, args ...any) error {
	return unfitRuling(fmt.Sprintf(format, args...))
}

// unfitRuling is an [ErrBadRuling] in words that say why.
type unfitRuling string

func (u unfitRuling) Error() string        { return string(u) }
func (u unfitRuling) Is(target error) bool { return target == ErrBadRuling }
