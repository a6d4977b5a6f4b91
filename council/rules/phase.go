package rules

import (
	"slices"

	"github.com/council-engine/council/council"
)

// enterPhase begins a visit to a phase.
func (s *Session) enterPhase(id council.PhaseID, reason string) {
	s.phase = s.charter.Phase(id)
	s.visit++
	s.lastPhase = id
	s.standing, s.assessment, s.asked = nil, nil, 0
	if s.charter.DecidesIn(id) {
		s.decided, s.lost = nil, vote{}
	}
	s.owe(council.PhaseStarted{Phase: id, Visit: s.visit, Goal: s.phase.Goal, Reason: reason})
}

func (s *Session) callRound() {
	s.round++
	s.turn, s.spoke, s.passed, s.moved, s.table = 0, 0, 0, 0, nil
	s.beginRound()
	s.together = s.phase.Turns == council.TurnsTogether && !s.early.leads
	s.owe(council.RoundStarted{Round: s.round, Of: s.phase.StopConditions.MaxRounds})
}

// settleTurn goes on after a turn: in a round that is held together once all are in.
func (s *Session) settleTurn(m council.MemberID) {
	if !s.together {
		s.nextTurn()
	} else if s.open.settle(m) {
		s.owe(council.TurnsOpened{Round: s.round})
	}
}

// nextTurn gives the floor to the next seat, or ends the round.
func (s *Session) nextTurn() {
	s.motion, s.amending, s.question = nil, amending{}, nil
	switch {
	case s.turn < len(s.seats) && !s.together:
		s.turn++
		s.put(council.AskTurn, s.seat(s.turn))
	case s.spoke == 0 && s.passed == 0:
		s.closeDebate(council.EndUnanswered)
	case s.spoke == 0:
		s.endDebate(council.EndAllPassed)
	case s.round >= s.phase.StopConditions.MaxRounds:
		s.endDebate(council.EndRoundLimit)
	case s.nothingNew():
		s.endDebate(council.EndNothingNew)
	default:
		s.callRound()
	}
}

// endDebate closes a debate whose rounds are over, after a vote on the options where the phase has any.
func (s *Session) endDebate(reason council.DebateEnd) {
	if !s.ranksOptions() {
		s.closeDebate(reason)
		return
	}
	options, _ := s.charter.OptionsAt(s.phase, s.added, council.Seq(len(s.log)), "")
	s.round, s.turn = 0, 0
	s.owe(council.ChoicePut{Motion: s.choiceID(), Options: options, Reason: reason})
}

func (s *Session) closeDebate(reason council.DebateEnd) {
	s.round, s.turn, s.motion, s.ending = 0, 0, nil, ""
	s.owe(council.DebateClosed{Reason: reason, Resolutions: ids(s.standing)})
}

// Assesses reports whether the leader is asked to assess a phase: whether the phase declares anything to judge.
func Assesses(p *council.Phase) bool {
	return len(p.Deliverables) > 0 || len(p.QualityGates) > 0 || p.EvidenceRequirements != council.EvidenceRequirements{}
}

// endPhase checks the assessment against the record and chooses where to go.
func (s *Session) endPhase() council.PhaseEnded {
	end := council.PhaseEnded{
		Phase: s.phase.ID, Reason: s.debate.Reason, Resolutions: s.debate.Resolutions, Assessed: s.assessment != nil,
	}
	if len(s.standing) == 0 {
		end.Fallback = s.phase.Fallback.Resolution
	}
	s.judge(&end)
	s.chooseNext(&end)
	return end
}

// chooseNext takes the matching transition of the lowest priority, else, without a resolution, the fallback.
func (s *Session) chooseNext(end *council.PhaseEnded) {
	next, to := Onward(s.phase, len(end.Resolutions) > 0, end.Reason)
	switch end.Next = to; {
	case next != nil:
		end.Via, end.NextReason = next.When, next.Reason
	case to != "":
		end.ViaFallback, end.NextReason = true, s.phase.Fallback.Resolution
	}
	if end.Next != "" && s.transitions >= s.charter.SessionPolicy.MaxPhaseTransitions {
		end.Next, end.Via, end.ViaFallback, end.NextReason = "", "", false, ""
		end.LimitReached = true
	}
}

// Onward returns where a phase leads when its debate ended for a reason with a resolution or without: by a transition,
// or by the fallback when that is nil, or to the closing when to is empty. It does not look at how many transitions
// are left.
func Onward(p *council.Phase, resolved bool, reason council.DebateEnd) (by *council.Transition, to council.PhaseID) {
	for i := range p.Transitions {
		t := &p.Transitions[i]
		if matches(t.When, resolved, reason) && (by == nil || t.Priority < by.Priority) {
			by = t
		}
	}
	switch {
	case by != nil:
		return by, by.To
	case !resolved && p.Fallback.Action == council.FallbackTransition:
		return nil, p.Fallback.TransitionToPhaseID
	}
	return nil, ""
}

func matches(when council.Trigger, resolved bool, reason council.DebateEnd) bool {
	switch when {
	case council.TriggerMajorityVote:
		return resolved
	case council.TriggerRoundLimit:
		return !reason.ByVote()
	}
	return when == council.TriggerAlways
}

// mayAsk reports whether a turn may put a question.
func (s *Session) mayAsk() bool {
	return s.phase != nil && !s.together && s.asked < s.phase.StopConditions.MaxQuestions
}

func (s *Session) putQuestion(
	m council.MemberID, answered council.Answered, t council.Turn,
) (council.Payload, error) {
	if t.To == m || t.To != council.Convener && !slices.Contains(s.seats, t.To) {
		return nil, badReply("a question is put to another member or to %s, not to %q", council.Convener, t.To)
	}
	return council.QuestionPut{
		Answered: answered, To: t.To, Question: t.Question,
		Unanswered: t.To == council.Convener && !s.charter.Deliberation.Convener,
	}, needs("question", t.Question)
}

// takeQuestion puts a question to whom it is for, before the round goes on.
func (s *Session) takeQuestion(e council.Event, p council.QuestionPut) {
	s.spoke++
	s.moved++
	s.asked++
	if p.Unanswered {
		s.nextTurn()
		return
	}
	s.question = &council.Question{By: e.Actor, To: p.To, Text: p.Question, Seq: e.Seq}
	s.put(council.AskReply, p.To)
}
