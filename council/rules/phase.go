package rules

import "github.com/council-engine/council/council"

// enterPhase begins a visit to a phase.
func (s *Session) enterPhase(id council.PhaseID, reason string) {
	s.phase = s.charter.Phase(id)
	s.visit++
	s.governance, s.lastPhase = s.phase.Governance, id
	s.resolution, s.lastVote, s.assessment = nil, vote{}, nil
	s.owe(council.PhaseStarted{Phase: id, Visit: s.visit, Goal: s.phase.Goal, Reason: reason})
}

func (s *Session) takePhase(e council.Event) {
	switch p := e.Payload.(type) {
	case council.PhaseStarted:
		s.callRound()
	case council.RoundStarted:
		s.nextTurn()
	case council.ContributionMade:
		s.spoke++
		s.nextTurn()
	case council.TurnPassed:
		s.passed++
		s.nextTurn()
	case council.DebateClosed:
		s.debate = p
		if toAssess(s.phase) {
			s.put(council.AskAssess, s.leader)
			return
		}
		s.owe(s.endPhase())
	case council.PhaseAssessed:
		assessment := p.Assessment
		s.assessment = &assessment
		s.owe(s.endPhase())
	case council.PhaseEnded:
		s.phase = nil
		if p.Next != "" {
			s.transitions++
			s.enterPhase(p.Next, p.NextReason)
			return
		}
		s.put(council.AskSummary, s.leader)
	}
}

func (s *Session) callRound() {
	s.round++
	s.turn, s.spoke, s.passed = 0, 0, 0
	s.owe(council.RoundStarted{Round: s.round, Of: s.phase.StopConditions.MaxRounds})
}

// nextTurn gives the floor to the next seat, or ends the round.
func (s *Session) nextTurn() {
	s.motion = nil
	if s.turn < len(s.seats) {
		s.turn++
		s.put(council.AskTurn, s.seats[s.turn-1])
		return
	}
	switch {
	case s.passed > 0 && s.spoke == 0:
		s.closeDebate(council.EndAllPassed)
	case s.round >= s.phase.StopConditions.MaxRounds:
		s.closeDebate(council.EndRoundLimit)
	default:
		s.callRound()
	}
}

func (s *Session) closeDebate(reason council.DebateEnd) {
	s.round, s.turn, s.motion = 0, 0, nil
	end := council.DebateClosed{Reason: reason}
	if s.resolution != nil {
		end.Resolution = s.resolution.Motion
	}
	s.owe(end)
}

// toAssess reports whether the phase declares anything for its leader to judge.
func toAssess(p *council.Phase) bool {
	return len(p.Deliverables) > 0 || len(p.QualityGates) > 0 || p.EvidenceRequirements != council.EvidenceRequirements{}
}

// endPhase checks the assessment against the record and chooses where to go.
func (s *Session) endPhase() council.PhaseEnded {
	end := council.PhaseEnded{
		Phase: s.phase.ID, Reason: s.debate.Reason, Resolution: s.debate.Resolution, Assessed: s.assessment != nil,
	}
	if s.resolution == nil {
		end.Fallback = s.phase.Fallback.Resolution
	}
	s.judge(&end)
	s.chooseNext(&end)
	return end
}

// chooseNext takes the matching transition of the lowest priority, else, without a resolution, the fallback.
func (s *Session) chooseNext(end *council.PhaseEnded) {
	var next *council.Transition
	for i := range s.phase.Transitions {
		t := &s.phase.Transitions[i]
		if matches(t.When, *end) && (next == nil || t.Priority < next.Priority) {
			next = t
		}
	}
	fallback := s.phase.Fallback
	switch {
	case next != nil:
		end.Next, end.Via, end.NextReason = next.To, next.When, next.Reason
	case s.resolution == nil && fallback.Action == council.FallbackTransition:
		end.Next, end.ViaFallback, end.NextReason = fallback.TransitionToPhaseID, true, fallback.Resolution
	}
	if end.Next != "" && s.transitions >= s.charter.SessionPolicy.MaxPhaseTransitions {
		end.Next, end.Via, end.ViaFallback, end.NextReason = "", "", false, ""
		end.LimitReached = true
	}
}

func matches(when council.Trigger, end council.PhaseEnded) bool {
	switch when {
	case council.TriggerMajorityVote:
		return end.Resolution != ""
	case council.TriggerRoundLimit:
		return end.Reason != council.EndMajorityVote
	}
	return when == council.TriggerAlways
}
