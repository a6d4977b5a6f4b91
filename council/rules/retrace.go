package rules

import "github.com/council-engine/council/council"

// replyIn returns the reply that an event records, so that a log can be decided again from its facts.
func replyIn(e council.Event) (council.Reply, bool) {
	reply := func(a council.Answered, b council.Body) (council.Reply, bool) {
		return a.Reply(b), true
	}
	switch p := e.Payload.(type) {
	case council.PositionSealed:
		return reply(p.Answered, p.Position)
	case council.LeaderBallotCast:
		return reply(p.Answered, p.Nomination)
	case council.ContributionMade:
		return reply(p.Answered, council.Turn{Action: council.ActionContribute, Message: p.Message})
	case council.TurnPassed:
		return reply(p.Answered, council.Turn{Action: council.ActionPass, Reason: p.Reason, Note: p.Note})
	case council.MotionMade:
		return reply(p.Answered, council.Turn{
			Action: council.ActionCallVote, MotionTitle: p.MotionTitle, MotionText: p.MotionText, DecisionIfPass: p.DecisionIfPass,
		})
	case council.SecondAnswered:
		return reply(p.Answered, p.Second)
	case council.BallotCast:
		return reply(p.Answered, p.Ballot)
	case council.PhaseAssessed:
		return reply(p.Answered, p.Assessment)
	case council.SummaryWritten:
		return reply(p.Answered, p.Summary)
	case council.DraftWritten:
		return reply(p.Answered, given(p.Draft))
	case council.ReviewGiven:
		return reply(p.Answered, p.Review)
	case council.DissentWritten:
		return reply(p.Answered, p.Dissent)
	case council.MemberFaulted:
		return p.Reply(nil).Failed(p.Fault), true
	case council.SessionSuspended:
		return council.Reply{Ask: p.Ask, Fault: &p.Fault, Usage: p.Usage}, p.Ask != ""
	}
	return council.Reply{}, false
}

// given is the draft as the leader gave it, without what was noted about it.
func given(d council.Draft) council.Draft {
	var responses []council.BlockerResponse
	for _, r := range d.Responses {
		if r.Answer != council.AnswerUnanswered {
			responses = append(responses, r)
		}
	}
	d.Responses = responses
	return d
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
