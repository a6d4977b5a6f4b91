package render

import (
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/wire"
)

// scribe writes a log by hand, one event after another, seven seconds apart.
type scribe struct {
	log   []wire.Entry
	at    time.Time
	phase council.PhaseID
	visit int
	round int
	turn  int
	draft int
}

// newScribe opens a session. Its clock is in a zone that is not UTC, as a careless caller's might be.
func newScribe(topic council.Topic, c council.Charter, memory ...council.Reminder) *scribe {
	zone := time.FixedZone("elsewhere", 5*3600+1800)
	s := &scribe{at: time.Date(2026, 3, 1, 2, 29, 53, 0, zone)}
	s.note("",
		council.SessionStarted{Rules: 1, Session: "20260228T210000Z-queue-7f3a", Topic: topic, Charter: c, Memory: memory})
	return s
}

// note writes one event.
func (s *scribe) note(actor council.MemberID, p council.Payload) *scribe {
	s.at = s.at.Add(7 * time.Second)
	seq := council.Seq(len(s.log) + 1)
	s.log = append(s.log, wire.Entry{
		Event: council.Event{Seq: seq, Phase: s.phase, Round: s.round, Turn: s.turn, Actor: actor, Payload: p},
		ID:    seq.ID(), Session: "20260228T210000Z-queue-7f3a", Time: s.at, Sum: council.Digest(seq.ID())})
	return s
}

// answered names the ask and puts a plausible price on the answer.
func (s *scribe) answered(kind council.AskKind, m council.MemberID) council.Answered {
	place := ""
	switch {
	case s.round > 0:
		place = string(s.motion()) + "."
	case kind == council.AskAssess:
		place = fmt.Sprintf("p%d.", s.visit)
	case s.draft > 0:
		place = fmt.Sprintf("d%d.", s.draft)
	}
	n := int64(len(s.log))
	return council.Answered{
		Ask: council.AskID(place + string(kind) + "." + string(m)), AsOf: council.Seq(n),
		Usage: council.Usage{Model: "model-of-" + string(m), Calls: 1, InputTokens: 100 + n, CachedTokens: 1000 * n,
			CacheWriteTokens: 10, OutputTokens: 50, ElapsedMS: 1500},
	}
}

func (s *scribe) motion() council.MotionID {
	return council.MotionID(fmt.Sprintf("p%d.r%d.t%d", s.visit, s.round, s.turn))
}

func (s *scribe) position(m council.MemberID, text string, confidence float64, known ...string) *scribe {
	return s.note(m, council.PositionSealed{Answered: s.answered(council.AskPosition, m),
		Position: council.Position{Position: text, Confidence: confidence, Overlooked: known}})
}

func (s *scribe) nominate(m, candidate council.MemberID, why string) *scribe {
	return s.note(m, council.LeaderBallotCast{Answered: s.answered(council.AskNominate, m),
		Nomination: council.Nomination{Rationale: why, CandidateID: candidate}})
}

func (s *scribe) enter(phase council.PhaseID, goal, reason string) *scribe {
	s.visit++
	s.phase, s.round, s.turn = phase, 0, 0
	return s.note("", council.PhaseStarted{Phase: phase, Visit: s.visit, Goal: goal, Reason: reason})
}

func (s *scribe) startRound(of int) *scribe {
	s.round++
	s.turn = 0
	return s.note("", council.RoundStarted{Round: s.round, Of: of})
}

func (s *scribe) says(m council.MemberID, text string) *scribe {
	s.turn++
	return s.note(m, council.ContributionMade{Answered: s.answered(council.AskTurn, m), Message: text})
}

func (s *scribe) passes(m council.MemberID, why string) *scribe {
	s.turn++
	return s.note(m, council.TurnPassed{Answered: s.answered(council.AskTurn, m), Reason: why})
}

func (s *scribe) moves(m council.MemberID, title, text, decision string) *scribe {
	s.turn++
	return s.note(m, council.MotionMade{Answered: s.answered(council.AskTurn, m), Motion: s.motion(), MotionTitle: title,
		MotionText: text, DecisionIfPass: decision})
}

func (s *scribe) seconds(m council.MemberID, yes bool, why string) *scribe {
	return s.note(m, council.SecondAnswered{Answered: s.answered(council.AskSecond, m), Motion: s.motion(),
		Second: council.Second{Rationale: why, Second: yes}})
}

func (s *scribe) votes(m council.MemberID, c council.Choice, why string) *scribe {
	subject := council.Subject{Motion: s.motion()}
	if s.draft > 0 {
		subject = council.Subject{Draft: s.ref()}
	}
	return s.note(m, council.BallotCast{Answered: s.answered(council.AskBallot, m), Subject: subject,
		Ballot: council.Ballot{Rationale: why, Ballot: c}})
}

func (s *scribe) faults(
	m council.MemberID,
	ask council.AskKind,
	kind council.FaultKind,
	standing council.Standing,
	message string,
) *scribe {
	if ask == council.AskTurn {
		s.turn++
	}
	return s.note(m, council.MemberFaulted{Answered: s.answered(ask, m), Kind: ask, Standing: standing,
		Fault: council.Fault{Kind: kind, Message: message}})
}

// decided counts a vote of three under the given threshold.
func decided(yes, no, abstain, invalid, absent int, threshold quorum.Share, countOf quorum.CountOf) council.Decision {
	rule := quorum.Rule{Members: yes + no + abstain + invalid + absent, Threshold: threshold, CountOf: countOf}
	rule.Quorum = rule.Required()
	count := quorum.Count{Yes: yes, No: no, Abstain: abstain, Invalid: invalid, Absent: absent}
	of := rule.Of(count)
	return council.Decision{Result: rule.Decide(count), Rule: rule, Count: count, Needed: rule.Needed(of), Of: of}
}

func (s *scribe) decide(d council.Decision) *scribe {
	if s.draft > 0 {
		return s.note("", council.DraftDecided{DraftRef: *s.ref(), Decision: d})
	}
	return s.note("", council.MotionDecided{Motion: s.motion(), Decision: d})
}

func (s *scribe) ends(reason council.DebateEnd, resolution council.MotionID) *scribe {
	s.round, s.turn = 0, 0
	closed := council.DebateClosed{Reason: reason}
	if resolution != "" {
		closed.Resolutions = []council.MotionID{resolution}
	}
	return s.note("", closed)
}

// ref names the draft under way.
func (s *scribe) ref() *council.DraftRef {
	for i := len(s.log) - 1; i >= 0; i-- {
		if d, ok := s.log[i].Payload.(council.DraftWritten); ok {
			return &d.DraftRef
		}
	}
	return nil
}

func (s *scribe) drafts(m council.MemberID, markdown string, answers ...council.BlockerResponse) *scribe {
	s.phase = ""
	s.draft++
	return s.note(m, council.DraftWritten{Answered: s.answered(council.AskDraft, m),
		DraftRef: council.DraftRef{Version: s.draft, SHA256: council.Digest(markdown)},
		Draft:    council.Draft{Markdown: markdown, Responses: answers}})
}

func (s *scribe) reviews(m council.MemberID, wishes []string, blockers ...council.Blocker) *scribe {
	return s.note(m, council.ReviewGiven{Answered: s.answered(council.AskReview, m), Version: s.draft,
		Review: council.Review{CriticalBlockers: blockers, SuggestedChanges: wishes}})
}

func (s *scribe) summarises(m council.MemberID, sum council.Summary) *scribe {
	s.phase = ""
	p := council.SummaryWritten{Answered: s.answered(council.AskSummary, m), Summary: sum}
	if sum.ExecutionBrief != nil {
		p.BriefSHA256 = sum.ExecutionBrief.SHA256()
	}
	return s.note(m, p)
}

func (s *scribe) dissents(m council.MemberID, text string) *scribe {
	return s.note(m,
		council.DissentWritten{Answered: s.answered(council.AskDissent, m), Dissent: council.Dissent{Dissent: text}})
}

func (s *scribe) closes(o council.Outcome) *scribe {
	p, _ := s.log[0].Payload.(council.SessionStarted)
	o.Rehearsed = p.Charter.Rehearsing() > 0
	o.Decided = o.Decided && !o.Rehearsed
	return s.note("", council.SessionClosed{Outcome: o})
}
