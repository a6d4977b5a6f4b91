package rules

import "github.com/council-engine/council/council"

// Rule decides what a human ruling means and returns the event to record. It changes nothing. [ErrBadRuling]: the
// ruling does not apply to the session as it stands.
func (s *Session) Rule(r council.Ruling) (council.Event, error) {
	if s.owed != nil {
		return council.Event{}, badRuling("%s is due first", s.owed.EventType())
	}
	p, err := s.rule(r)
	if err != nil {
		return council.Event{}, err
	}
	return s.event(p, ""), nil
}

func (s *Session) rule(r council.Ruling) (council.Payload, error) {
	switch r := r.(type) {
	case council.Recall:
		return council.MemoryRecalled(r), s.mayRecall(r)
	case council.Suspend:
		if !r.Fault.Kind.Curable() {
			return nil, badRuling("a %s fault does not suspend a session", r.Fault.Kind)
		}
		return council.SessionSuspended{Fault: r.Fault}, s.whileOpen()
	case council.Resume:
		if s.suspended == nil {
			return nil, badRuling("the session is not suspended")
		}
		return council.SessionResumed(r), s.whileOpen()
	case council.Adjourn:
		return council.SessionAdjourned(r), s.whileOpen()
	case council.AmendBudget:
		if why := affordable(&s.charter, r.Budget); why != "" {
			return nil, badRuling("%s", why)
		}
		return council.BudgetAmended(r), s.whileOpen()
	case council.AmendBrief:
		return council.BriefAmended{By: r.By, Brief: r.Brief, BriefSHA256: r.Brief.SHA256()},
			s.whileExecution(council.ExecutionAwaitingApproval, council.ExecutionCleared, council.ExecutionRefused)
	case council.Approve:
		return council.ExecutionApproved(r),
			s.onBrief(r.BriefSHA256, council.ExecutionAwaitingApproval, council.ExecutionRefused)
	case council.Reject:
		return council.ExecutionRejected(r),
			s.onBrief(r.BriefSHA256, council.ExecutionAwaitingApproval, council.ExecutionCleared)
	case council.StartExecution:
		return council.ExecutionStarted(r), s.onBrief(r.BriefSHA256, council.ExecutionCleared)
	case council.FinishExecution:
		return council.ExecutionFinished(r), s.whileExecution(council.ExecutionUnderWay)
	}
	return nil, badRuling("there is no such ruling")
}

func (s *Session) whileOpen() error {
	if s.outcome != nil {
		return badRuling("the session is closed")
	}
	return nil
}

func (s *Session) whileExecution(allowed ...council.ExecutionStatus) error {
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

func (s *Session) onBrief(sha string, allowed ...council.ExecutionStatus) error {
	if err := s.whileExecution(allowed...); err != nil {
		return err
	}
	if sha != s.briefSHA256 {
		return badRuling("the brief is %s, not %s", s.briefSHA256, sha)
	}
	return nil
}

// clearance is where a brief stands before anybody ruled on it.
func (s *Session) clearance() council.ExecutionStatus {
	if s.charter.Execution.RequireHumanApproval {
		return council.ExecutionAwaitingApproval
	}
	return council.ExecutionCleared
}

func (s *Session) takeRuling(e council.Event) {
	switch p := e.Payload.(type) {
	case council.SessionResumed:
		s.suspended = nil
		if fault := s.overBudget(); fault != nil {
			s.owed = council.SessionSuspended{Fault: *fault}
		}
	case council.SessionAdjourned:
		s.adjourned, s.suspended = true, nil
		s.close()
	case council.BudgetAmended:
		s.budget = p.Budget
	case council.BriefAmended:
		brief := p.Brief
		s.brief, s.briefSHA256 = &brief, p.BriefSHA256
		s.execution = s.clearance()
	case council.ExecutionApproved:
		s.execution = council.ExecutionCleared
	case council.ExecutionRejected:
		s.execution = council.ExecutionRefused
	case council.ExecutionStarted:
		s.execution = council.ExecutionUnderWay
	case council.ExecutionFinished:
		s.execution = council.ExecutionFailed
		if p.Succeeded {
			s.execution = council.ExecutionSucceeded
		}
	}
}
