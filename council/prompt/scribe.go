package prompt

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

const carried = quorum.Carried

// scribe tells the events of one session to one member, in the order of the log.
type scribe struct {
	charter *council.Charter
	me      council.MemberID
	fence   fence
	retell  bool // also the member's own words: its answers no longer stand in the conversation

	at      place
	opening council.SessionStarted
	recall  *council.Event                // what was recalled, or nil
	sealed  []council.Event               // kept back until the event that opens them
	motions map[council.MotionID]*motion  // by id, to be named by their events
	moved   []*motion                     // in order
	results []phaseResult                 // of the phases that ended
	last    map[council.MemberID]lastWord // of everybody, in the debate
	summary *council.Event
	events  []council.Event // those read so far
}

// motion is what was moved and what became of it.
type motion struct {
	event  council.Event
	words  council.MotionMade
	result string
}

// phaseResult is what one phase came to.
type phaseResult struct {
	end    council.PhaseEnded
	motion *motion // the resolution, or nil
}

// lastWord is an event in which a member said something in the debate.
type lastWord struct {
	seq  council.Seq
	text string
}

func newScribe(v council.View) *scribe {
	return &scribe{
		opening: openingOf(v),
		charter: v.Charter, me: v.Ask.Member, fence: peerFence(v.Session, v.Ask.Member),
		motions: map[council.MotionID]*motion{}, last: map[council.MemberID]lastWord{},
	}
}

// read takes in an event without telling it.
func (s *scribe) read(e council.Event) {
	s.at = s.at.after(e, s.charter)
	s.events = append(s.events, e)
	switch p := e.Payload.(type) {
	case council.SessionStarted:
		s.opening = p
	case council.MemoryRecalled:
		s.recall = &e
	case council.MotionMade:
		m := &motion{event: e, words: p, result: "is before the council."}
		s.motions[p.Motion] = m
		s.moved = append(s.moved, m)
		s.last[e.Actor] = lastWord{e.Seq, p.MotionText}
	case council.MotionDied:
		s.close(p.Motion, "died without a second.")
	case council.MotionDecided:
		s.close(p.Motion, words("result", p.Decision))
	case council.ContributionMade:
		s.last[e.Actor] = lastWord{e.Seq, p.Message}
	case council.PhaseEnded:
		s.results = append(s.results, phaseResult{p, s.motions[p.Resolution]})
	case council.SummaryWritten:
		s.summary = &e
	}
	switch {
	case e.Sealed():
		s.sealed = append(s.sealed, e)
	case e.Opens():
		s.sealed = nil
	}
}

func (s *scribe) close(id council.MotionID, result string) {
	if m := s.motions[id]; m != nil {
		m.result = result
	}
}

// tell takes in an event and returns what the member is told of it, or "" for what it is not shown or not yet.
func (s *scribe) tell(e council.Event) string {
	sealed := s.sealed
	s.read(e)
	if e.Sealed() || wording().Lookup(string(e.Type())) == nil {
		return ""
	}
	line := s.entry(e)
	if e.Opens() {
		for _, earlier := range sealed {
			line.Sealed = append(line.Sealed, s.entry(earlier))
		}
	}
	return line.Line()
}

// name is how a member is called in the record: by name and role, without the id, which questions give.
func (s *scribe) name(id council.MemberID) string {
	if m := s.charter.Member(id); m != nil {
		if m.Role == "" { // under pseudonyms
			return title(m.Name)
		}
		return title(m.Name) + " (" + title(m.Role) + ")"
	}
	return string(id)
}
