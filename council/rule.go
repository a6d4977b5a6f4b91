package council

// Rule decides what a human ruling means and returns the event to record. It changes nothing. [ErrBadRuling]: the
// ruling does not apply to the session as it stands.
func (s *Session) Rule(r Ruling) (Event, error) {
	if s.owed != nil {
		return Event{}, badRuling("%s is due first", s.owed.EventType())
	}
	p, err := s.rule(r)
	if err != nil {
		return Event{}, err
	}
	return s.event(p, ""), nil
}

func (s *Session) rule(r Ruling) (Payload, error) {
	switch r := r.(type) {
	case Suspend:
		if !r.Fault.Kind.Curable() {
			return nil, badRuling("a %s fault does not suspend a session", r.Fault.Kind)
		}
		return SessionSuspended{Fault: r.Fault}, s.whileOpen()
	case Resume:
		if s.suspended == nil {
			return nil, badRuling("the session is not suspended")
		}
		return SessionResumed{By: r.By}, s.whileOpen()
	case Adjourn:
		return SessionAdjourned{By: r.By, Reason: r.Reason}, s.whileOpen()
	case AmendBudget:
		if r.Budget.Tokens < 0 || !(r.Budget.Minutes >= 0) {
			return nil, badRuling("a budget is not negative")
		}
		return BudgetAmended{By: r.By, Budget: r.Budget}, s.whileOpen()
	case AmendBrief:
		return BriefAmended{By: r.By, Brief: r.Brief, BriefSHA256: r.Brief.SHA256()},
			s.whileExecution(ExecutionAwaitingApproval, ExecutionCleared, ExecutionRefused)
	case Approve:
		return ExecutionApproved{By: r.By, BriefSHA256: r.BriefSHA256, Note: r.Note},
			s.onBrief(r.BriefSHA256, ExecutionAwaitingApproval, ExecutionRefused)
	case Reject:
		return ExecutionRejected{By: r.By, BriefSHA256: r.BriefSHA256, Reason: r.Reason},
			s.onBrief(r.BriefSHA256, ExecutionAwaitingApproval, ExecutionCleared)
	case StartExecution:
		return ExecutionStarted{By: r.By, BriefSHA256: r.BriefSHA256}, s.onBrief(r.BriefSHA256, ExecutionCleared)
	case FinishExecution:
		return ExecutionFinished{By: r.By, Succeeded: r.Succeeded, Note: r.Note}, s.whileExecution(ExecutionUnderWay)
	}
	return nil, badRuling("there is no such ruling")
}

func (s *Session) whileOpen() error {
	if s.outcome != nil {
		return badRuling("the session is closed")
	}
	return nil
}

func (s *Session) whileExecution(allowed ...ExecutionStatus) error {
	if s.outcome == nil {
		return badRuling("the session is not closed yet")
	}
	for _, status := range allowed {
		if s.execution == status {
			return nil
		}
	}
	return badRuling("the execution stands at %s", s.execution)
}

func (s *Session) onBrief(sha string, allowed ...ExecutionStatus) error {
	if err := s.whileExecution(allowed...); err != nil {
		return err
	}
	if sha != s.briefSHA256 {
		return badRuling("the brief is %s, not %s", s.briefSHA256, sha)
	}
	return nil
}

// clearance is where a brief stands before anybody ruled on it.
func (s *Session) clearance() ExecutionStatus {
	if s.charter.Execution.RequireHumanApproval {
		return ExecutionAwaitingApproval
	}
	return ExecutionCleared
}

func (s *Session) takeRuling(e Event) {
	switch p := e.Payload.(type) {
	case SessionResumed:
		s.suspended = nil
		if fault := s.overBudget(); fault != nil {
			s.owed = SessionSuspended{Fault: *fault}
		}
	case SessionAdjourned:
		s.adjourned, s.suspended = true, nil
		s.close()
	case BudgetAmended:
		s.budget = p.Budget
	case BriefAmended:
		brief := p.Brief
		s.brief, s.briefSHA256 = &brief, p.BriefSHA256
		s.execution = s.clearance()
	case ExecutionApproved:
		s.execution = ExecutionCleared
	case ExecutionRejected:
		s.execution = ExecutionRefused
	case ExecutionStarted:
		s.execution = ExecutionUnderWay
	case ExecutionFinished:
		s.execution = ExecutionFailed
		if p.Succeeded {
			s.execution = ExecutionSucceeded
		}
	}
}
