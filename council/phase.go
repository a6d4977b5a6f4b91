package council

// enterPhase begins a visit to a phase.
func (s *Session) enterPhase(id PhaseID, reason string) {
	s.phase = s.charter.Phase(id)
	s.visit++
	s.governance = s.phase.Governance
	s.resolution, s.lastVote, s.assessment = nil, vote{}, nil
	s.owe(PhaseStarted{Phase: id, Visit: s.visit, Goal: s.phase.Goal, Reason: reason})
}

func (s *Session) takePhase(e Event) {
	switch p := e.Payload.(type) {
	case PhaseStarted:
		s.callRound()
	case RoundStarted:
		s.nextTurn()
	case ContributionMade:
		s.spoke++
		s.nextTurn()
	case TurnPassed:
		s.passed++
		s.nextTurn()
	case DebateClosed:
		s.debate = p
		if toAssess(s.phase) {
			s.put(AskAssess, s.leader)
			return
		}
		s.owe(s.endPhase())
	case PhaseAssessed:
		assessment := p.Assessment
		s.assessment = &assessment
		s.owe(s.endPhase())
	case PhaseEnded:
		s.phase = nil
		if p.Next != "" {
			s.transitions++
			s.enterPhase(p.Next, p.NextReason)
			return
		}
		s.put(AskSummary, s.leader)
	}
}

func (s *Session) callRound() {
	s.round++
	s.turn, s.spoke, s.passed = 0, 0, 0
	s.owe(RoundStarted{Round: s.round, Of: s.phase.StopConditions.MaxRounds})
}

// nextTurn gives the floor to the next seat, or ends the round.
func (s *Session) nextTurn() {
	s.motion = nil
	if s.turn < len(s.seats) {
		s.turn++
		s.put(AskTurn, s.seats[s.turn-1])
		return
	}
	switch {
	case s.passed > 0 && s.spoke == 0:
		s.closeDebate(EndAllPassed)
	case s.round >= s.phase.StopConditions.MaxRounds:
		s.closeDebate(EndRoundLimit)
	default:
		s.callRound()
	}
}

func (s *Session) closeDebate(reason DebateEnd) {
	s.round, s.turn, s.motion = 0, 0, nil
	end := DebateClosed{Reason: reason}
	if s.resolution != nil {
		end.Resolution = s.resolution.Motion
	}
	s.owe(end)
}

// toAssess reports whether the phase declares anything for its leader to judge.
func toAssess(p *Phase) bool {
	return len(p.Deliverables) > 0 || len(p.QualityGates) > 0 || p.EvidenceRequirements != EvidenceRequirements{}
}

// endPhase checks the assessment against the record and chooses where to go.
func (s *Session) endPhase() PhaseEnded {
	end := PhaseEnded{
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
func (s *Session) chooseNext(end *PhaseEnded) {
	var next *Transition
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
	case s.resolution == nil && fallback.Action == FallbackTransition:
		end.Next, end.ViaFallback, end.NextReason = fallback.TransitionToPhaseID, true, fallback.Resolution
	}
	if end.Next != "" && s.transitions >= s.charter.SessionPolicy.MaxPhaseTransitions {
		end.Next, end.Via, end.ViaFallback, end.NextReason = "", "", false, ""
		end.LimitReached = true
	}
}

func matches(when Trigger, end PhaseEnded) bool {
	switch when {
	case TriggerMajorityVote:
		return end.Resolution != ""
	case TriggerRoundLimit:
		return end.Reason != EndMajorityVote
	}
	return when == TriggerAlways
}
