// Package story folds a session's log into what its artifacts tell: who leads, what was moved and how it was voted
// on, which drafts there are and what was held against them, what it cost, how far its execution has come.
//
// It takes the log's word for every consequence and asks the rules nothing, so that old logs stay readable.
package story

import (
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/wire"
)

// Story is what the artifacts need to know of a session. Take is its only mutator; the fields are for reading.
type Story struct {
	Header   artifact.Header
	Started  council.SessionStarted // empty if it was erased
	Opened   time.Time              // UTC
	Closed   time.Time              // UTC; zero while the session is open
	Last     wire.Entry
	Erased   []string     // ids of the events of whose content something was erased
	Recalled *wire.Entry  // its payload is a council.MemoryRecalled
	Pending  []wire.Entry // answers to questions that were put together, until they are counted
	Heard    []wire.Entry // those that the last count was made of
	Leader   *artifact.Leader
	Visits   []*Visit
	Motions  []*artifact.Motion
	Summary  *wire.Entry // its payload is a council.SummaryWritten
	Drafts   []*Draft
	Dissents []wire.Entry // those with words in them
	Faults   []artifact.FaultRecord
	Stops    []artifact.Suspension
	Spent    Spending
	Outcome  *council.Outcome // set when the session is closed
	Handoff  council.Handoff

	suspended bool
	ruled     map[council.Seq]time.Time // when each ruling on the brief was recorded
}

// Visit is one visit to a phase.
type Visit struct {
	artifact.PhaseVisit
	Assessment *wire.Entry // its payload is a council.PhaseAssessed
}

// RehearsalNote says in every artifact that no model spoke.
const RehearsalNote = "No model was asked. Every member was the built-in rehearsal, which speaks from the topic and " +
	"the documents by fixed rules."

// Take folds in the next entry of the log.
func (s *Story) Take(e wire.Entry) {
	if s.Last.Seq == 0 {
		s.Opened = e.Time.UTC()
		s.Header = artifact.Header{Format: artifact.Format, SessionID: e.Session}
		s.ruled = map[council.Seq]time.Time{}
	}
	s.Last = e
	if e.Payload == nil || e.Forgotten {
		s.Erased = append(s.Erased, e.Seq.ID())
	}
	if e.Payload == nil {
		return
	}
	s.Spent.take(e)
	s.Handoff.Take(e.Event)
	switch {
	case e.Sealed():
		s.Pending = append(s.Pending, e)
	case e.Opens():
		s.Heard, s.Pending = s.Pending, nil
	}
	switch p := e.Payload.(type) {
	case council.SessionStarted:
		s.takeStarted(p)
	case council.MemoryRecalled:
		s.Recalled = &e
	case council.LeaderElected:
		votes := append([]council.CandidateVotes{}, p.Votes...)
		s.Leader = &artifact.Leader{Member: p.Leader, Tie: p.Tie, Votes: votes}
	case council.MotionMade, council.MotionSeconded, council.MotionDied, council.MotionDecided:
		s.takeMotion(e)
	case council.SummaryWritten:
		s.Summary = &e
	case council.DraftWritten, council.DraftDecided, council.ReviewGiven:
		s.takeDocument(e)
	case council.DissentWritten:
		if p.Dissent.Dissent != "" {
			s.Dissents = append(s.Dissents, e)
		}
	case council.MemberFaulted:
		s.takeFault(e, p)
	case council.SessionSuspended, council.SessionResumed, council.SessionAdjourned:
		s.takeStop(e)
	case council.SessionClosed:
		s.Closed = e.Time.UTC()
		s.Outcome = &p.Outcome
	case council.BriefAmended, council.ExecutionApproved, council.ExecutionRejected, council.ExecutionStarted,
		council.ExecutionFinished:
		s.ruled[e.Seq] = e.Time
	default:
		s.takePhase(e)
	}
}

func (s *Story) takeStarted(p council.SessionStarted) {
	s.Started = p
	s.Header.Rehearsal = len(p.Charter.Members) > 0 && p.Charter.Rehearsing() == len(p.Charter.Members)
	if s.Header.Rehearsal {
		s.Header.Note = RehearsalNote
	}
}

func (s *Story) takePhase(e wire.Entry) {
	if p, ok := e.Payload.(council.PhaseStarted); ok {
		s.Visits = append(s.Visits, &Visit{PhaseVisit: artifact.PhaseVisit{Visit: p.Visit, Phase: p.Phase, Goal: p.Goal}})
		return
	}
	v := s.Visit()
	if v == nil {
		return
	}
	switch p := e.Payload.(type) {
	case council.RoundStarted:
		v.Rounds = p.Round
	case council.PhaseAssessed:
		v.Assessment = &e
	case council.PhaseEnded:
		v.Ended, v.Resolution, v.Missing, v.Next = p.Reason, p.Resolution, p.Missing, p.Next
		for _, f := range slices.Concat(p.Deliverables, p.QualityGates) {
			if f.Status == council.FindingComplete {
				v.Complete = append(v.Complete, f.ID)
			}
		}
	}
}

// Visit is the phase visit under way or last ended, or nil.
func (s *Story) Visit() *Visit {
	if len(s.Visits) == 0 {
		return nil
	}
	return s.Visits[len(s.Visits)-1]
}

func (s *Story) takeFault(e wire.Entry, p council.MemberFaulted) {
	s.Faults = append(s.Faults, artifact.FaultRecord{
		Event: e.Seq.ID(), At: wire.Stamp(e.Time), Member: e.Actor, Ask: p.Kind,
		Fault: p.Fault.Kind, Message: p.Fault.Message, Standing: p.Standing,
	})
}

func (s *Story) takeStop(e wire.Entry) {
	switch p := e.Payload.(type) {
	case council.SessionSuspended:
		s.suspended = true
		s.Stops = append(s.Stops, artifact.Suspension{
			Event: e.Seq.ID(), At: wire.Stamp(e.Time), Member: e.Actor, Fault: p.Fault.Kind, Message: p.Fault.Message,
		})
	case council.SessionResumed:
		s.suspended = false
		if n := len(s.Stops); n > 0 {
			s.Stops[n-1].ResumedAt, s.Stops[n-1].ResumedBy = wire.Stamp(e.Time), p.By
		}
	case council.SessionAdjourned:
		s.suspended = false
	}
}

// Status is how the session stands.
func (s *Story) Status() artifact.Status {
	switch {
	case s.Outcome != nil && s.Outcome.Ended == council.SessionCutShort:
		return artifact.StatusAdjourned
	case s.Outcome != nil:
		return artifact.StatusCompleted
	case s.suspended:
		return artifact.StatusSuspended
	}
	return artifact.StatusRunning
}
