package render

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

func (t *Transcript) writeDebate(p *page, e wire.Entry) {
	s := &t.session
	switch pl := e.Payload.(type) {
	case council.ContributionMade:
		t.heading(p, s.speaker(e.Actor), e.Seq)
		p.quote(pl.Message)
	case council.TurnPassed:
		t.heading(p, s.speaker(e.Actor)+" passes", e.Seq)
		for _, said := range []string{pl.Reason, pl.Note} {
			if hostile.Line(said) != "" {
				p.quote(said)
			}
		}
	case council.MotionMade:
		t.heading(p, s.speaker(e.Actor)+" moves: "+title(pl.MotionTitle), e.Seq)
		p.quote(pl.MotionText)
		p.block("If it carries, this is decided:")
		p.quote(pl.DecisionIfPass)
	case council.MotionSeconded:
		t.heading(p, s.name(pl.Seconder)+" seconds "+s.motionTitle(pl.Motion), e.Seq)
		t.writeSeconds(p)
	case council.MotionDied:
		t.heading(p, "No second for "+s.motionTitle(pl.Motion), e.Seq)
		t.writeSeconds(p)
		p.block("Nobody seconded it. **The motion dies**, and the round goes on.")
	case council.MotionDecided:
		t.heading(p, "Vote on "+s.motionTitle(pl.Motion), e.Seq)
		t.writeBallots(p)
		p.block(verdict(pl.Decision, "the motion", "carried", "lost"))
	}
}

// heard are the answers that were counted last, as they are shown.
func (s *session) heard() []council.Event {
	out := slices.Clone(s.Heard)
	for i, h := range out {
		out[i] = s.Marked(h)
	}
	return out
}

// title puts a motion's title into quotation marks.
func title(s string) string { return quoted(s, 160) }

func (s *session) motionTitle(id council.MotionID) string {
	if m := s.Motion(id); m != nil {
		return title(m.Title)
	}
	return "motion " + hostile.Inline(string(id))
}

func (t *Transcript) writeSeconds(p *page) {
	s := &t.session
	var rows [][]string
	for _, h := range s.heard() {
		seconds, why := "", ""
		switch pl := h.Payload.(type) {
		case council.SecondAnswered:
			seconds, why = "declines", cell(pl.Rationale, h.Seq)
			if pl.Second.Second {
				seconds = "seconds"
			}
		case council.MemberFaulted:
			seconds, why = string(pl.Standing), "*"+faultWords(pl.Fault)+"*"
		}
		rows = append(rows, []string{s.name(h.Actor), seconds, why, h.Seq.ID()})
	}
	p.table([]string{"Member", "Answer", "Reason", "Event"}, rows)
}

// writeBallots is the table of a vote.
func (t *Transcript) writeBallots(p *page) {
	s := &t.session
	var rows [][]string
	for _, h := range s.heard() {
		vote, why := "", ""
		switch pl := h.Payload.(type) {
		case council.BallotCast:
			vote, why = hostile.Inline(string(pl.Ballot.Ballot)), cell(pl.Rationale, h.Seq)
			if hostile.Line(pl.Stance) != "" {
				why += " *(prefers " + quoted(pl.Stance, maxCell) + ")*"
			}
		case council.MemberFaulted:
			vote, why = string(pl.Standing), "*"+faultWords(pl.Fault)+"*"
		}
		rows = append(rows, []string{s.name(h.Actor), vote, why, h.Seq.ID()})
	}
	p.table([]string{"Member", "Ballot", "Reason", "Event"}, rows)
}

func (t *Transcript) writePhase(p *page, e wire.Entry) {
	s := &t.session
	switch pl := e.Payload.(type) {
	case council.PhaseStarted:
		t.enter(p, fmt.Sprintf("Phase %d: %s · %s", pl.Visit, hostile.Inline(string(pl.Phase)), e.Seq.ID()), "")
		p.say("Goal: %s", hostile.Inline(pl.Goal))
		p.say("Begun on %s.", day(e.Time))
	case council.RoundStarted:
		t.inRound = true
		p.heading(3, fmt.Sprintf("Phase %d, round %d of %d", s.visitNumber(), pl.Round, pl.Of), 0)
	case council.DebateClosed:
		t.inRound = false
	case council.PhaseEnded:
		t.inRound = false
		t.writeAssessment(p, pl)
		t.writePhaseEnd(p, e, pl)
	}
}

func (t *Transcript) writePhaseEnd(p *page, e wire.Entry, end council.PhaseEnded) {
	s := &t.session
	p.heading(3, fmt.Sprintf("End of phase %d", s.visitNumber()), e.Seq)
	text := debateEnded(end.Reason)
	if end.Resolution != "" {
		text += fmt.Sprintf(" The phase resolved %s.", s.motionTitle(end.Resolution))
	} else {
		text += " The phase carried no motion."
		if end.Fallback != "" {
			text += " The charter's words for that: " + hostile.Inline(end.Fallback)
		}
	}
	p.block(text)
	next := hostile.Inline(string(end.Next))
	switch {
	case end.LimitReached:
		p.block("The charter allows no further change of phase, so the session goes to its closing.")
	case end.Next == "":
		p.block("No further phase follows. The session goes to its closing.")
	case end.ViaFallback:
		p.say("Phase %s follows: the charter sends a phase without a resolution there.", next)
	default:
		why := map[council.Trigger]string{
			council.TriggerMajorityVote: "a motion was carried",
			council.TriggerRoundLimit:   "the debate ended without a vote that closed it",
			council.TriggerAlways:       "the charter sends every outcome there",
		}[end.Via]
		text := fmt.Sprintf("Phase %s follows, because %s", next, why)
		if reason := hostile.Inline(end.NextReason); reason != "" {
			text += " (" + reason + ")"
		}
		p.block(text + ".")
	}
}

// visitNumber is the number of the phase visit under way or last ended.
func (s *session) visitNumber() int {
	if v := s.Visit(); v != nil {
		return v.Visit
	}
	return 0
}
