package memory

import (
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// minutes are what the fold reads of a session before it remembers anything.
type minutes struct {
	id      council.SessionID
	entries []wire.Entry
	started *council.SessionStarted // nil when it was erased: then nobody may remember anything
	topic   string                  // on one line, and short; empty when it was erased
	phases  []*council.Phase        // by index of entries: whose memory policy holds
	closing int                     // index of the entry with which the session closed, or -1
	outcome *council.Outcome

	motions  map[council.MotionID]*motion
	blockers []*blocker // in the order in which they were raised
	ballots  map[council.MemberID]map[council.MotionID]council.Choice
}

// motion is a motion as it was made and decided.
type motion struct {
	council.MotionMade
	mover    council.MemberID
	phase    council.PhaseID
	resolved bool // it is the resolution of its phase
}

// blocker is a blocker as it was raised and answered.
type blocker struct {
	council.Blocker
	entry    *wire.Entry // in which it was raised
	index    int         // of that entry
	draft    int
	response *council.BlockerResponse // nil when no revision followed
}

func readMinutes(s Session) *minutes {
	m := &minutes{
		id: s.ID, entries: s.Entries, closing: -1, phases: make([]*council.Phase, len(s.Entries)),
		motions: map[council.MotionID]*motion{}, ballots: map[council.MemberID]map[council.MotionID]council.Choice{},
	}
	var phase *council.Phase
	for i := range m.entries {
		e := &m.entries[i]
		switch p := e.Payload.(type) {
		case council.SessionStarted:
			m.started, m.topic = &p, title(p.Topic.Text)
			phase = p.Charter.Phase(p.Charter.SessionPolicy.EntryPhaseID)
		case council.SessionClosed:
			m.closing, m.outcome = i, &p.Outcome
		}
		if m.started != nil && e.Phase != "" {
			phase = m.started.Charter.Phase(e.Phase) // stays that of the closing
		}
		m.phases[i] = phase
		m.take(i, e)
	}
	if m.closing < 0 {
		m.closing = m.lastBeforeRulings()
	}
	if m.outcome != nil && m.outcome.Resolution != nil {
		m.resolve(m.outcome.Resolution.Motion)
	}
	return m
}

func (m *minutes) take(i int, e *wire.Entry) {
	switch p := e.Payload.(type) {
	case council.MotionMade:
		m.motions[p.Motion] = &motion{MotionMade: p, mover: e.Actor, phase: e.Phase}
	case council.BallotCast:
		if m.ballots[e.Actor] == nil {
			m.ballots[e.Actor] = map[council.MotionID]council.Choice{}
		}
		m.ballots[e.Actor][p.Motion] = p.Ballot.Ballot
	case council.PhaseEnded:
		m.resolve(p.Resolution)
	case council.ReviewGiven:
		for _, b := range p.CriticalBlockers {
			m.blockers = append(m.blockers, &blocker{Blocker: b, entry: e, index: i, draft: p.Version})
		}
	case council.DraftWritten:
		for _, r := range p.Responses {
			if at := slices.IndexFunc(m.blockers, func(b *blocker) bool { return b.ID == r.BlockerID }); at >= 0 {
				m.blockers[at].response = &r
			}
		}
	}
}

func (m *minutes) resolve(id council.MotionID) {
	if motion := m.motions[id]; motion != nil {
		motion.resolved = true
	}
}

// lastBeforeRulings finds the end of a session whose closing event was erased.
func (m *minutes) lastBeforeRulings() int {
	first := slices.IndexFunc(m.entries, func(e wire.Entry) bool { return isRuling(e.Payload) })
	if first < 0 {
		return len(m.entries) - 1
	}
	return first - 1
}

// isRuling reports whether an event says what became of the execution, which is ruled upon after the close.
func isRuling(p council.Payload) bool {
	switch p.(type) {
	case council.BriefAmended, council.ExecutionApproved, council.ExecutionRejected, council.ExecutionStarted, council.ExecutionFinished:
		return true
	}
	return false
}

// writes reports whether what happened at an entry may be kept in the book of the given owner.
func (m *minutes) writes(owner council.MemberID, entry int) bool {
	return m.phases[entry] != nil && mayWrite(m.phases[entry].MemoryPolicy, owner)
}

func mayWrite(p council.MemoryPolicy, owner council.MemberID) bool {
	if owner == "" {
		return p.WriteCouncilMemory
	}
	return p.WriteMemberMemory
}

// concerns reports whether any phase of the session may write into the book of the given owner.
func (m *minutes) concerns(owner council.MemberID) bool {
	if m.started == nil || owner != "" && m.started.Charter.Member(owner) == nil {
		return false
	}
	return slices.ContainsFunc(m.phases, func(p *council.Phase) bool { return p != nil && mayWrite(p.MemoryPolicy, owner) })
}

// name is a member's name, as plain text.
func (m *minutes) name(id council.MemberID) string {
	if seat := m.started.Charter.Member(id); seat != nil {
		if name := clip(seat.Name, maxName); name != "" {
			return name
		}
	}
	return clip(string(id), maxName)
}

// on is " on “topic”", or nothing when the topic was erased.
func (m *minutes) on() string {
	if m.topic == "" {
		return ""
	}
	return " on “" + m.topic + "”"
}

// rehearsed reports whether what the session left concerns rehearsals only: a member was the rehearsal.
func (m *minutes) rehearsed() bool { return m.started != nil && m.started.Charter.Rehearsing() > 0 }

// handoff is how far the execution has come as of an entry.
func (m *minutes) handoff(entry int) council.Handoff {
	var h council.Handoff
	for _, e := range m.entries[:entry+1] {
		h.Take(e.Event)
	}
	return h
}

// when is the time of an event as records have it.
func when(e *wire.Entry) time.Time { return e.Time.UTC().Truncate(time.Millisecond) }
