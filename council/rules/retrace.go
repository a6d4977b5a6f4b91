package rules

import "github.com/council-engine/council/council"

// replyIn returns the reply that an event records, so that a log can be decided again from its facts.
func replyIn(e council.Event) (council.Reply, bool) {
	if body := e.Said(); body != nil {
		a, _ := e.Answered()
		return a.Reply(body), true
	}
	switch p := e.Payload.(type) {
	case council.MemberFaulted:
		return p.Reply(nil).Failed(p.Fault), true
	case council.SessionSuspended:
		return council.Reply{Ask: p.Ask, Fault: &p.Fault, Usage: p.Usage}, p.Ask != ""
	}
	return council.Reply{}, false
}

// rulingIn returns the ruling that an event records.
func rulingIn(e council.Event) (council.Ruling, bool) {
	switch p := e.Payload.(type) {
	case council.MemoryRecalled:
		return council.Recall(p), true
	case council.SessionSuspended:
		return council.Suspend{Fault: p.Fault}, p.Ask == ""
	case council.SessionResumed:
		return council.Resume(p), true
	case council.SessionAdjourned:
		return council.Adjourn(p), true
	case council.BudgetAmended:
		return council.AmendBudget(p), true
	case council.ServerMoved:
		return council.MoveServer(p), true
	case council.BriefAmended:
		return council.AmendBrief{By: p.By, Brief: p.Brief}, true
	case council.ExecutionApproved:
		return council.Approve(p), true
	case council.ExecutionRejected:
		return council.Reject(p), true
	case council.ExecutionStarted:
		return council.StartExecution(p), true
	case council.ExecutionFinished:
		return council.FinishExecution(p), true
	}
	return nil, false
}
