package memory

import (
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder/wire"
)

// reading is a session as the fold reads it before it remembers anything.
type reading struct {
	minutes.Minutes
	id       council.SessionID
	entries  []wire.Entry
	topic    string            // on one line, and short; empty when it was erased
	phases   []*council.Phase  // by index of entries: whose memory policy holds
	handoffs []council.Handoff // by index of entries: how far the execution has come
	closing  int               // index of the entry with which the session closed
	blockers []blocker         // in the order in which they were raised
}

// blocker is a blocker and the entry in which it was raised.
type blocker struct {
	minutes.RaisedBlocker
	entry *wire.Entry
}

func read(s Session) *reading {
	m := &reading{id: s.ID, entries: s.Entries, phases: make([]*council.Phase, len(s.Entries))}
	var phase *council.Phase
	closed := false
	for i := range m.entries {
		e := &m.entries[i]
		m.Take(e.Event, minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten})
		m.handoffs = append(m.handoffs, m.Handoff)
		charter := &m.Started.Charter
		if i == 0 {
			phase = charter.Phase(charter.SessionPolicy.EntryPhaseID)
		}
		if e.Phase != "" {
			phase = charter.Phase(e.Phase) // stays that of the closing
		}
		m.phases[i] = phase
		if !closed && !isRuling(e.Payload) { // the end also of a session whose closing event was erased
			m.closing = i
		}
		closed = closed || m.Outcome != nil || isRuling(e.Payload)
	}
	m.topic = title(m.Started.Topic.Text)
	for _, d := range m.Drafts {
		for _, b := range m.Raised(d) {
			m.blockers = append(m.blockers, blocker{b, m.entry(b.Event)})
		}
	}
	return m
}

// entry returns the entry with the given id.
func (m *reading) entry(id string) *wire.Entry {
	return &m.entries[slices.IndexFunc(m.entries, func(e wire.Entry) bool { return e.Seq.ID() == id })]
}

// resolved reports whether a motion is a resolution of its phase, or of the session.
func (m *reading) resolved(id council.MotionID) bool {
	return m.final(id) ||
		slices.ContainsFunc(m.Visits, func(v *minutes.Visit) bool { return slices.Contains(v.Resolutions, id) })
}

// final reports whether a motion is a resolution of the session.
func (m *reading) final(id council.MotionID) bool {
	return m.Outcome != nil && slices.ContainsFunc(m.Outcome.Resolutions,
		func(r council.Resolution) bool { return r.Motion == id })
}

// isRuling reports whether an event is a ruling on the execution, which follow after the close.
func isRuling(p council.Payload) bool { return p != nil && p.Row().Type.RulesOnBrief() }

// writes reports whether what happened at an entry may be kept in the book of the given owner.
func (m *reading) writes(owner council.MemberID, entry int) bool {
	return m.phases[entry] != nil && mayWrite(m.phases[entry].MemoryPolicy, owner)
}

func mayWrite(p council.MemoryPolicy, owner council.MemberID) bool {
	if owner == "" {
		return p.WriteCouncilMemory
	}
	return p.WriteMemberMemory
}

// concerns reports whether any phase of the session may write into the book of the given owner.
func (m *reading) concerns(owner council.MemberID) bool {
	member := owner == "" || m.Started.Charter.Member(owner) != nil
	return member && slices.ContainsFunc(m.phases, func(p *council.Phase) bool {
		return p != nil && mayWrite(p.MemoryPolicy, owner)
	})
}

// name returns a member's name, as plain text.
func (m *reading) name(id council.MemberID) string {
	if seat := m.Started.Charter.Asked(id); seat != nil {
		if name := clip(seat.Name, maxName); name != "" {
			return name
		}
	}
	return clip(string(id), maxName)
}

// on is " on “topic”", or nothing when the topic was erased.
func (m *reading) on() string {
	if m.topic == "" {
		return ""
	}
	return " on “" + m.topic + "”"
}

// rehearsed reports whether what the session left concerns rehearsals only: a member was the rehearsal.
func (m *reading) rehearsed() bool { return m.Started.Charter.Rehearsing() > 0 }

// when returns the time of an event as records have it.
func when(e *wire.Entry) time.Time { return Precise(e.Time) }
