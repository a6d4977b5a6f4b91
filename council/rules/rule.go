package rules

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

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
	case council.MoveServer:
		if _, err := charter.Move(s.reached, r.Member, r.BaseURL); err != nil {
			return nil, badRuling("%v", err)
		}
		return council.ServerMoved(r), s.whileOpen()
	}
	return s.ruleExecution(r)
}

func (s *Session) whileOpen() error {
	if s.outcome != nil {
		return badRuling("the session is closed")
	}
	return nil
}

func (s *Session) takeRuling(e council.Event) {
	switch p := e.Payload.(type) {
	case council.SessionResumed:
		s.suspended = nil
		if len(s.open.asks) == 0 { // no position was usable
			s.again++
			s.callOpening()
		}
		if fault := s.overBudget(); fault != nil {
			s.owed = council.SessionSuspended{Fault: *fault}
		}
	case council.SessionAdjourned:
		s.adjourned, s.suspended = true, nil
		s.close()
	case council.BudgetAmended:
		s.budget = p.Budget
	case council.ServerMoved:
		s.reached, _ = charter.Move(s.reached, p.Member, p.BaseURL) // it was decided again before
	}
}
