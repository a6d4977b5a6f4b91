// Package minutes folds the log of a session into an account for people and programs: phases, motions with their votes,
// drafts with their reviews, execution, faults, cost, lookups, citations and the receipt. All that show a session read
// it: the rendered files, the terminal, memory and the record in a prompt.
//
// It is pure: the same events give the same minutes. Types with JSON names are parts of session.json and its like.
//
// The package is stable as package workspace says.
package minutes

import (
	"cmp"
	"slices"
	"time"

	"github.com/council-engine/council/council"
)

// Minutes are the account of a session so far. The zero value is ready; [Minutes.Take] changes it, its fields are read.
type Minutes struct {
	Session  council.SessionID
	Started  council.SessionStarted // zero if it was erased
	Budget   council.Budget         // in force
	Opened   time.Time              // UTC
	Closed   time.Time              // UTC; zero while the session is open
	Events   []council.Event        // all so far
	Erased   []string               // ids of the events of whose content something was erased
	Recalled *council.Event         // its payload is a council.MemoryRecalled

	// From the sealed positions to the last vote on a motion.
	Pending  []council.Event // answers to questions that were put together, until they are counted
	Heard    []council.Event // the answers that the last count was made of
	Baseline *Baseline       // nil before it is counted, and where no position names an answer
	Agreed   bool            // the sealed positions agree, and no vote has shown another mind since
	Leader   *Leader
	Proposed *Proposed // the answers that the leader proposed at the pace auto; nil before, and where options are given
	Visits   []*Visit
	Added    []council.Added // the options that members added
	Motions  []*Motion
	Question *council.Question // the last that was put to somebody
	Deciding []*Motion         // of the last visit to the deciding phase: those in force, else the last one

	Summary  *Summary
	Drafts   []*Draft
	Refused  []RefusedDraft  // replies that were not taken as a document
	Dissents []council.Event // those with words in them
	Faults   []Fault
	Stops    []Suspension

	Suspended *council.Fault            // why the session is suspended; nil unless it is
	Adjourned *council.SessionAdjourned // nil unless a person adjourned the session
	Outcome   *council.Outcome          // set when the session is closed
	Handoff   council.Handoff
	Evaluated *Evaluated // what the workspace measured of such an agreement; nil: nothing. It is in no log

	earlyStops []EarlyStop
	replies    Replies
	citations  citations
	ruled      map[council.Seq]time.Time // when each ruling on the brief was recorded
}

// Recorded holds an event's time, session and whether words were erased. It may be zero for readers that need none.
type Recorded struct {
	Session   council.SessionID
	At        time.Time
	Forgotten bool // words of the event were erased
}

// Of returns the minutes of events whose times do not matter.
func Of(events []council.Event) *Minutes {
	m := &Minutes{}
	m.Follow(events)
	return m
}

// Follow folds in the events of a log after those that were taken in, with which it begins, and keeps the log itself.
func (m *Minutes) Follow(log []council.Event) {
	for n := len(m.Events); n < len(log); n++ {
		m.Events = log[: n+1 : n+1]
		m.fold(log[n], Recorded{})
	}
}

// Take folds in the next event of the log. An event without a payload was erased.
func (m *Minutes) Take(e council.Event, r Recorded) {
	m.Events = append(m.Events, e)
	m.fold(e, r)
}

func (m *Minutes) fold(e council.Event, r Recorded) {
	if len(m.Events) == 1 {
		m.Opened, m.Session, m.ruled = r.At.UTC(), r.Session, map[council.Seq]time.Time{}
	}
	if e.Payload == nil || r.Forgotten {
		m.Erased = append(m.Erased, e.Seq.ID())
	}
	if e.Payload == nil {
		return
	}
	m.Handoff.Apply(e)
	if e.Type().RulesOnBrief() {
		m.ruled[e.Seq] = r.At
	}
	answered, _ := e.Answered()
	for _, one := range answered.Refused {
		m.Refused = append(m.Refused, RefusedDraft{one, answered.Ask.Version(), e.Actor, e.Seq})
	}
	switch stop, _ := e.Payload.(council.SessionSuspended); {
	case e.Sealed():
		m.Pending = append(m.Pending, e)
	case e.Opens(), stop.Fault.Kind == council.FaultUnusable: // then all are asked again
		m.Heard, m.Pending = m.Pending, nil
	}
	switch p := e.Payload.(type) {
	case council.SessionStarted:
		m.Started, m.Budget = p, p.Charter.Budget
	case council.BudgetAmended:
		m.Budget = p.Budget
	case council.MemoryRecalled:
		m.Recalled = &e
	case council.PositionsOpened:
		m.Agreed = p.Agreed
	case council.Baseline:
		m.Baseline = m.newBaseline(e, p)
	case council.LeaderElected:
		m.Leader = &Leader{Member: p.Leader, Tie: p.Tie, Votes: append([]council.CandidateVotes{}, p.Votes...)}
	case council.AnswersProposed:
		m.Proposed = &Proposed{p, e}
	case council.PhaseStarted:
		m.Visits = append(m.Visits, &Visit{Visit: p.Visit, Phase: p.Phase, Goal: p.Goal})
		if m.Started.Charter.Phases != nil && m.Started.Charter.DecidesIn(p.Phase) {
			m.Deciding = nil
		}
	case council.RoundStarted:
		v := m.visit()
		v.Rounds, v.Completed = p.Round, p.Round-1
	case council.DebateClosed:
		if p.Reason == council.EndUncontested || p.Reason == council.EndNothingNew {
			m.earlyStops = append(m.earlyStops, EarlyStop{Phase: e.Phase, Event: e.Seq.ID(), Reason: p.Reason})
		}
	case council.PhaseAssessed:
		m.visit().Assessment = &e
	case council.PhaseEnded:
		m.visit().end(p, m.Motion)
	case council.ContributionMade:
		m.Added = council.WithAdded(m.Added, e)
	case council.QuestionPut:
		m.visit().Asked++
		if !p.Unanswered {
			m.Question = &council.Question{By: e.Actor, To: p.To, Text: p.Question, Seq: e.Seq}
		}
	case council.MotionMade:
		m.Motions = append(m.Motions, &Motion{Moved: Moved{ID: p.Motion, Title: p.MotionTitle, Text: p.MotionText,
			Decision: p.DecisionIfPass, Mover: e.Actor, Round: e.Round, Turn: e.Turn}, Event: e.Seq.ID(), Seq: e.Seq,
			Phase: e.Phase, Options: p.Options, Status: MotionOpen, Supersedes: p.Supersedes})
	case council.ChoicePut:
		m.Motions = append(m.Motions, &Motion{Moved: Moved{ID: p.Motion, Title: m.Started.Topic.Text, Round: e.Round},
			Event: e.Seq.ID(), Seq: e.Seq, Phase: e.Phase, Options: p.Options, Of: p.Motions, Status: MotionOpen})
		for _, id := range p.Motions {
			m.motion(id).Status = MotionJoined
		}
		if m.Started.Charter.IsAuto() { // the last ballot counts
			m.visit().Standing, m.Deciding = nil, nil
		}
	case council.MotionSeconded:
		on := m.motion(p.Motion)
		on.Seconder, on.Amendments = p.Seconder, m.proposed()
	case council.MotionDied:
		m.Agreed = false
		on := m.motion(p.Motion)
		if on.Status = MotionDied; p.Withdrawn {
			on.Status = MotionWithdrawn
		}
	case council.AmendmentsWeighed:
		on := m.motion(p.Motion)
		on.Weighed = true
		for _, a := range on.Amendments {
			switch a.Status = AmendmentDied; {
			case slices.Contains(p.Accepted, a.Event):
				a.Status = AmendmentAccepted
			case slices.Contains(p.Put, a.Event):
				a.Status = AmendmentPut
			}
		}
	case council.AmendmentDecided:
		if on := m.motion(p.Motion).Amendment(p.Amendment); on != nil {
			if on.Status, on.Vote = AmendmentFell, p.Vote; p.Vote != nil {
				on.Status, on.Ballots = AmendmentStatus(p.Vote.Result), m.ballots()
			}
		}
	case council.MotionAmended:
		of := m.motion(p.Motion)
		if on := of.Amendment(p.Amendment); on != nil {
			on.Before, on.After = of.Wording(), p.Wording
			of.Title, of.Text, of.Decision = p.MotionTitle, p.MotionText, p.DecisionIfPass
		}
	case council.MotionDecided:
		m.decide(p, e.Seq, r.At)
	case council.SummaryWritten:
		m.Summary = &Summary{p, e}
	case council.DraftWritten:
		erased := r.Forgotten && council.Digest(p.Markdown) != p.SHA256
		d := &Draft{DraftWritten: p, Brief: m.Handoff.Brief, By: e.Actor, Seq: e.Seq, Erased: erased}
		if lacks := p.Lacks(); lacks != nil {
			d.Reviews = []Review{{Event: e.Seq.ID(), Blockers: lacks}}
		}
		m.Drafts = append(m.Drafts, d)
	case council.DraftDecided:
		if d := m.Draft(p.Version); d != nil {
			d.Vote, d.Decided, d.Ballots = &p.Decision, r.At.UTC(), m.ballots()
		}
	case council.ReviewGiven:
		if d := m.Draft(p.Version); d != nil {
			d.Reviews = append(d.Reviews, Review{Member: e.Actor, Event: e.Seq.ID(), Blockers: p.CriticalBlockers,
				Suggestions: p.SuggestedChanges})
		}
	case council.DissentWritten:
		if p.Dissent.Dissent != "" {
			m.Dissents = append(m.Dissents, e)
		}
		if d := m.LastDraft(); d != nil && len(p.CriticalBlockers) > 0 {
			d.Reviews = append(d.Reviews, Review{Member: e.Actor, Event: e.Seq.ID(), Blockers: p.CriticalBlockers})
		}
	case council.MemberFaulted:
		m.Faults = append(m.Faults, Fault{Event: e.Seq.ID(), At: stamp(r.At), Member: e.Actor, Ask: p.Kind,
			Fault: p.Fault.Kind, Message: p.Fault.Message, Standing: p.Standing})
	case council.SessionSuspended:
		m.Suspended = &p.Fault
		m.Stops = append(m.Stops, Suspension{Event: e.Seq.ID(), At: stamp(r.At), Member: e.Actor, Fault: p.Fault.Kind,
			Message: p.Fault.Message})
	case council.SessionResumed:
		m.Suspended = nil
		if n := len(m.Stops); n > 0 {
			m.Stops[n-1].ResumedAt, m.Stops[n-1].ResumedBy = stamp(r.At), p.By
		}
	case council.SessionAdjourned:
		m.Suspended, m.Adjourned = nil, &p
	case council.SessionClosed:
		m.Closed, m.Outcome, m.Suspended = r.At.UTC(), &p.Outcome, nil
	}
}

// Last returns the newest event, or a zero one.
func (m *Minutes) Last() council.Event { return last(m.Events) }

func last[T any](all []T) (one T) {
	if len(all) > 0 {
		one = all[len(all)-1]
	}
	return one
}

// Rehearsed reports whether the session decides nothing because the built-in rehearsal has a seat.
func (m *Minutes) Rehearsed() bool { return m.Started.Charter.Rehearsing() > 0 }

// Seats lists the members in turn order. Without a charter, which may have been erased, they are those who answered.
func (m *Minutes) Seats() []council.MemberID {
	if seats := m.Started.Charter.Seats(); len(seats) > 0 { // no reply is read for them
		return seats
	}
	return m.Replies().seats()
}

// EndedBy returns the end of the debate: ADJOURNED, or that of the last phase; empty before one ended.
func (m *Minutes) EndedBy() string {
	if m.Outcome != nil && m.Outcome.Ended == council.SessionCutShort {
		return string(m.Outcome.Ended)
	}
	if v := m.Visit(); v != nil {
		return string(v.Ended)
	}
	return ""
}

// Leader is the elected leader, with the vote. After a succession another may lead.
type Leader struct {
	Member council.MemberID         `json:"-"`
	Tie    bool                     `json:"tie"`
	Votes  []council.CandidateVotes `json:"votes"`
}

// Visit is one visit to a phase.
type Visit struct {
	Visit       int                `json:"visit"`
	Phase       council.PhaseID    `json:"phaseId"`
	Goal        string             `json:"phaseGoal"`
	Completed   int                `json:"roundsCompleted"` // that of the vote which ended the phase too
	Ended       council.DebateEnd  `json:"endedBy,omitempty"`
	Final       string             `json:"finalResolution,omitempty"` // the decision of the winning motion, else the charter's words
	Winning     *Moved             `json:"winningMotion,omitempty"`   // the last of the resolutions
	Resolutions []council.MotionID `json:"resolutions,omitempty"`     // the motions in force, in order
	Complete    []string           `json:"complete,omitempty"`        // deliverables and gates shown to be met
	Missing     []string           `json:"missing,omitempty"`
	Next        council.PhaseID    `json:"next,omitempty"`

	Rounds     int                 `json:"-"` // begun so far
	Standing   []*Motion           `json:"-"` // that carried and that no later one replaced, in order
	Asked      int                 `json:"-"` // questions that were put
	Assessment *council.Event      `json:"-"` // its payload is a council.PhaseAssessed
	End        *council.PhaseEnded `json:"-"` // nil while it is under way
}

// end takes in the end of the visit; motion finds its resolutions.
func (v *Visit) end(p council.PhaseEnded, motion func(council.MotionID) *Motion) {
	v.Completed, v.Final = v.Rounds, p.Fallback
	for _, id := range p.Resolutions {
		if m := motion(id); m != nil {
			v.Final, v.Winning = m.Decision, &m.Moved
		}
	}
	v.Ended, v.Resolutions, v.Missing, v.Next = p.Reason, p.Resolutions, p.Missing, p.Next
	v.End = &p
	for _, f := range slices.Concat(p.Deliverables, p.QualityGates) {
		if f.Status == council.FindingComplete {
			v.Complete = append(v.Complete, f.ID)
		}
	}
}

// Visit returns the phase visit under way or last ended, or nil.
func (m *Minutes) Visit() *Visit { return last(m.Visits) }

// visit is Visit for changes: those of a visit whose beginning was erased are dropped.
func (m *Minutes) visit() *Visit { return cmp.Or(m.Visit(), &Visit{}) }

// Summary is the leader's summary, and the event that holds it.
type Summary struct {
	council.SummaryWritten
	Event council.Event
}

// Fault is one ask that got no usable answer.
type Fault struct {
	Event    string            `json:"event"`
	At       string            `json:"at"`
	Member   council.MemberID  `json:"member"`
	Ask      council.AskKind   `json:"ask"`
	Fault    council.FaultKind `json:"fault"`
	Message  string            `json:"message,omitempty"`
	Standing council.Standing  `json:"standing"`
}

// Suspension is one stop of the session. ResumedAt is empty while it lasts, and when the session was adjourned.
type Suspension struct {
	Event     string            `json:"event"`
	At        string            `json:"at"`
	Member    council.MemberID  `json:"member,omitempty"`
	Fault     council.FaultKind `json:"fault"`
	Message   string            `json:"message,omitempty"`
	ResumedAt string            `json:"resumedAt,omitempty"`
	ResumedBy string            `json:"resumedBy,omitempty"`
}

// stamp writes a time as the record does: RFC 3339 in UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
