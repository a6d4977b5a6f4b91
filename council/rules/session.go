// Package rules is the protocol of a deliberation, as a pure fold over events.
//
// A [Session] is rebuilt from its log by [Replay] and moved by [Session.Apply], its only mutator. [Session.Ready]
// returns a due consequence to record, questions to put to members, or the outcome. [Session.Answer] and [Session.Rule]
// turn a member's reply or a person's ruling into the event to record; they decide and change nothing.
//
// Every event is a fact from outside (a reply, a ruling) or a consequence, which is a function of the log before it.
// Apply recomputes both and refuses all others, so a log that replays is a log whose every vote has been counted again.
//
// The parts of the protocol are types with their own state: the election, the visit to a phase with the motion before
// it, and the closing. An event goes to the part that it concerns, which returns the next step.
//
// The rules are stated, sentence by sentence, in docs/protocol.md.
//
// The package is stable as package workspace says.
package rules

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/council-engine/council/council"
)

// Version is the version of the rules in this package. A log that was opened under another version can be read
// and rendered, but not replayed here.
const Version = 1

// Session is a deliberation as far as its log goes. It belongs to one goroutine.
type Session struct {
	record
	reached   council.Charter // the charter with the addresses that rulings made of its
	due       council.Payload // to record before anything is asked
	dueBy     council.MemberID
	suspended *council.Fault
	spent     spending

	election election
	visit    visit
	poll     poll // at the pace auto
	closing  closing
}

// Open checks the charter, the topic and the reminders, and returns the first event of a session. Reminders have
// records; that of the council comes first, then those of members in seat order. [council.ErrBadCharter]
func Open(id council.SessionID, topic council.Topic, c council.Charter, memory ...council.Reminder,
) (council.Event, error) {
	started := council.SessionStarted{Rules: Version, Session: id, Topic: topic, Charter: c, Memory: memory}
	return council.Event{Seq: 1, Payload: started}, checkOpening(started)
}

// Begin returns a session that was opened by [Open], and is recorded nowhere.
func Begin(id council.SessionID, topic council.Topic, c council.Charter, memory ...council.Reminder,
) (*Session, error) {
	opening, err := Open(id, topic, c, memory...)
	if err != nil {
		return nil, err
	}
	return Replay(Log(opening))
}

// Replay rebuilds a session from its log. Its error is the log's own, or [ErrBadEvent].
func Replay(log iter.Seq2[council.Event, error]) (*Session, error) {
	s := &Session{}
	s.election.record, s.visit.record, s.closing.record = &s.record, &s.record, &s.record
	s.poll.record, s.poll.visit, s.visit.poll, s.closing.poll = &s.record, &s.visit, &s.poll, &s.poll
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

// Ready returns the session's next step, and changes nothing. A suspended session still lists its open asks.
func (s *Session) Ready() council.Ready {
	switch {
	case s.closing.outcome != nil:
		return council.Ready{Outcome: new(*s.closing.outcome)}
	case s.due != nil:
		return council.Ready{Event: new(s.newEvent(s.due, s.dueBy))}
	}
	return council.Ready{Asks: slices.Clone(s.open.out)} // which the caller may change
}

// Apply takes one event into the session. One that the rules do not yield changes nothing: [ErrBadEvent].
func (s *Session) Apply(e council.Event) error {
	want, err := s.expectedEvent(e)
	if err != nil {
		return badEvent("event %d: %v", e.Seq, err)
	}
	if !reflect.DeepEqual(want, e) {
		return badEvent("event %d (%s) is not what the rules yield", e.Seq, e.Type())
	}
	s.due, s.dueBy = nil, ""
	s.log = append(s.log, e)
	s.setNext(s.next(e))
	return nil
}

// setNext makes a consequence due and drops the open asks, or opens new ones. A spent budget stops the session between
// questions, never within one. An excluded member that is asked is absent.
func (s *Session) setNext(n step) {
	switch {
	case n.due != nil:
		s.open, s.due, s.dueBy = group{asks: n.asks, out: n.asks}, n.due, n.by
	case n.asks != nil:
		s.open, s.vote = group{asks: n.asks, out: n.asks}, newVote()
		s.spent.closeGroup()
		s.due = s.spent.suspension()
	}
	a := council.Find(s.open.out, func(a council.Ask) bool { return s.Excluded(a.Member) })
	if a != nil && s.due == nil && s.suspended == nil {
		s.due, s.dueBy = council.MemberFaulted{Answered: council.Answered{Ask: a.ID, AsOf: a.AsOf}, Kind: a.Kind,
			Standing: council.StandingAbsent, Fault: council.Fault{Kind: council.FaultExcluded}}, a.Member
	}
}

func (s *Session) expectedEvent(e council.Event) (council.Event, error) {
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
	if s.due != nil {
		return s.newEvent(s.due, s.dueBy), nil
	}
	if r, ok := e.Reply(); ok {
		return s.Answer(r)
	}
	if r, ok := e.Payload.(council.Ruling); ok {
		return s.Rule(r)
	}
	return council.Event{}, errors.New("no " + string(e.Type()) + " is due")
}

func (s *Session) newEvent(p council.Payload, actor council.MemberID) council.Event {
	e := council.Event{Seq: s.asOf() + 1, Round: s.visit.round, Turn: s.visit.turn, Actor: actor, Payload: p}
	if s.visit.phase != nil {
		e.Phase = s.visit.phase.ID
	}
	return e
}

// View returns the view of an open ask. It is the same while the ask is open, with the events up to its AsOf.
func (s *Session) View(a council.Ask) council.View {
	visit, matter, c := &s.visit, &s.visit.matter, &s.closing
	v := council.View{Session: s.id, Ask: a, Topic: &s.topic, Charter: &s.charter, Seat: s.charter.Asked(a.Member),
		Seats: s.seats, Phase: visit.phase, Round: visit.round, Turn: visit.turn, Motion: matter.motion,
		Question: visit.question, MayAsk: visit.mayAsk(), Standing: motionIDs(visit.carried), Draft: c.draft,
		Events: s.log[:a.AsOf:a.AsOf], Memory: s.reminders(a.Member, visit.last)}
	switch {
	case matter.pending != nil:
		v.Proposed = []council.Proposal{*matter.pending}
	case a.Kind == council.AskTurn:
		v.Options, v.MayAdd = s.charter.OptionsAt(visit.phase, visit.added, a.AsOf, a.Member)
	case a.Kind == council.AskAmend:
		v.Proposed = matter.proposed
	case a.Kind == council.AskPropose:
		v.Positions = s.poll.positions()
	case a.Kind == council.AskPosition && visit.phase != nil: // of a spare
		v.Options = s.poll.answers
	case a.Kind == council.AskSummary:
		v.Undecided, v.Standing = len(s.decided) == 0, motionIDs(s.decided)
	case a.Kind == council.AskDissent:
		v.Blocks = c.mayBlock(a.Member)
	case a.Kind == council.AskDraft:
		v.Blockers = c.blockers
	}
	return v
}

// After returns the view of a member when the session closed, for a question that is put to it afterwards, which is in
// no log and decides nothing. ok is false while the session is not closed.
func (s *Session) After(m council.MemberID) (v council.View, ok bool) {
	closed := slices.IndexFunc(s.log, func(e council.Event) bool {
		return e.Type() == council.TypeOf[council.SessionClosed]()
	})
	v = s.View(council.Ask{Kind: council.AskReply, Member: m, AsOf: council.Seq(closed + 1)})
	v.Phase, v.Round, v.Turn, v.Motion, v.MayAsk = nil, 0, 0, nil, false
	return v, closed >= 0
}

// ID returns the session's id.
func (s *Session) ID() council.SessionID { return s.id }

// Charter returns the frozen charter; see [Session.Budget] and [Session.Reached] for what is in force.
func (s *Session) Charter() *council.Charter { return &s.charter }

// Reached returns the charter with the addresses at which members are asked now.
func (s *Session) Reached() *council.Charter { return &s.reached }

// Topic returns the council's topic.
func (s *Session) Topic() *council.Topic { return &s.topic }

// Events returns the log. It must not be changed.
func (s *Session) Events() []council.Event { return s.log[:len(s.log):len(s.log)] }

// Suspended returns the fault for which the session is suspended, or nil.
func (s *Session) Suspended() *council.Fault { return s.suspended }

// Excluded reports whether a ruling excluded a member, which is asked nothing more.
func (s *Session) Excluded(m council.MemberID) bool { return slices.Contains(s.excluded, m) }

// Handoff returns the state of the execution, with the brief as amended and the reason that withholds it.
func (s *Session) Handoff() council.Handoff { return s.closing.handoff }

// Spent returns the session's usage so far, over all suspensions and resumes. ElapsedMS is the time spent waiting for
// members, with asks that were open together counted once.
func (s *Session) Spent() council.Usage { return s.spent.total() }

// Cost returns the session's cost so far, over all suspensions and resumes. When the cost of some reply is not known,
// known is false and cost is that of the others.
func (s *Session) Cost() (cost council.Money, known bool) { return s.spent.cost, s.spent.unknown == "" }

// Budget returns the cap in force: the charter's, or that of the last ruling on it.
func (s *Session) Budget() council.Budget { return s.spent.budget }

// Sentinels of a session. All are wrapped with the reason.
var (
	// ErrNotPending: the reply answers no open ask. It is late or a duplicate; drop it.
	ErrNotPending = errors.New("no such ask is open")
	// ErrBadRuling: the ruling does not apply to the session now.
	ErrBadRuling = errors.New("ruling does not apply")
	// ErrBadEvent: the event does not follow from the log: another log, another version, or tampering.
	ErrBadEvent = errors.New("event does not follow from the log")
)

func badReply(format string, args ...any) error {
	return fmt.Errorf("%w: %s", council.ErrBadReply, fmt.Sprintf(format, args...))
}

func badEvent(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadEvent, fmt.Sprintf(format, args...))
}

func badRuling(format string, args ...any) error { return rulingError(fmt.Sprintf(format, args...)) }

// rulingError is an [ErrBadRuling] in words that say why.
type rulingError string

func (u rulingError) Error() string        { return string(u) }
func (u rulingError) Is(target error) bool { return target == ErrBadRuling }

// spending adds up a session's usage and cost against its budget. Asks together take as long as the slowest.
type spending struct {
	budget  council.Budget // the charter's, or that of a ruling
	usage   council.Usage  // ElapsedMS is that of the groups already closed
	slowest int64          // reply of the group under way, in milliseconds
	cost    council.Money  // of the replies whose cost is known
	unknown council.AskID  // the first whose cost is not
}

func (l *spending) add(c *council.Charter, e council.Event) {
	r, ok := e.Reply()
	if !ok {
		return
	}
	cost, known := c.Cost(e.Actor, r.Usage, r.Fault != nil)
	if !known && l.unknown == "" {
		l.unknown = r.Ask
	}
	l.cost = l.cost.Plus(cost)
	l.slowest = max(l.slowest, r.Usage.ElapsedMS)
	r.Usage.ElapsedMS = 0
	l.usage = l.usage.Add(r.Usage)
}

func (l *spending) closeGroup() {
	l.usage.ElapsedMS += l.slowest
	l.slowest = 0
}

// total returns the usage with the group under way.
func (l spending) total() council.Usage {
	l.closeGroup()
	l.usage.Model = ""
	return l.usage
}

// suspension returns the suspension of a session whose budget is spent, or nil. A reply of unknown cost might have
// taken all of a budget in US dollars.
func (l *spending) suspension() council.Payload {
	b, spent := l.budget, l.total()
	suspend := func(format string, args ...any) council.Payload {
		return council.SessionSuspended{
			Fault: council.Fault{Kind: council.FaultBudget, Message: fmt.Sprintf(format, args...)}}
	}
	switch {
	case b.Tokens > 0 && spent.Tokens() >= b.Tokens:
		return suspend("%d of %d tokens are spent", spent.Tokens(), b.Tokens)
	case b.USD > 0 && l.unknown != "":
		return suspend("what the reply to %s cost is not known, so a budget of %s cannot be held",
			l.unknown, council.Dollars(b.USD))
	case b.USD > 0 && l.cost >= council.Dollars(b.USD):
		return suspend("%s of %s are spent", l.cost, council.Dollars(b.USD))
	case b.Minutes > 0 && float64(spent.ElapsedMS) >= b.Minutes*60_000:
		return suspend("%s of %s are spent", council.FormatMinutes(float64(spent.ElapsedMS)/60_000),
			council.FormatMinutes(b.Minutes))
	}
	return nil
}
