package council

// replyIn returns the reply that an event records, so that a log can be decided again from its facts.
func replyIn(e Event) (Reply, bool) {
	reply := func(a Answered, b Body) (Reply, bool) { return Reply{Ask: a.Ask, Body: b, Usage: a.Usage}, true }
	switch p := e.Payload.(type) {
	case PositionSealed:
		return reply(p.Answered, p.Position)
	case LeaderBallotCast:
		return reply(p.Answered, p.Nomination)
	case ContributionMade:
		return reply(p.Answered, Turn{Action: ActionContribute, Message: p.Message})
	case TurnPassed:
		return reply(p.Answered, Turn{Action: ActionPass, Reason: p.Reason, Note: p.Note})
	case MotionMade:
		return reply(p.Answered, Turn{
			Action: ActionCallVote, MotionTitle: p.MotionTitle, MotionText: p.MotionText, DecisionIfPass: p.DecisionIfPass,
		})
	case SecondAnswered:
		return reply(p.Answered, p.Second)
	case BallotCast:
		return reply(p.Answered, p.Ballot)
	case PhaseAssessed:
		return reply(p.Answered, p.Assessment)
	case SummaryWritten:
		return reply(p.Answered, p.Summary)
	case DraftWritten:
		return reply(p.Answered, given(p.Draft))
	case ReviewGiven:
		return reply(p.Answered, p.Review)
	case DissentWritten:
		return reply(p.Answered, p.Dissent)
	case MemberFaulted:
		return Reply{Ask: p.Ask, Fault: &p.Fault, Usage: p.Usage}, true
	case SessionSuspended:
		return Reply{Ask: p.Ask, Fault: &p.Fault, Usage: p.Usage}, p.Ask != ""
	}
	return Reply{}, false
}

// given is the draft as the leader gave it, without what was noted about it.
func given(d Draft) Draft {
	var responses []BlockerResponse
	for _, r := range d.Responses {
		if r.Answer != AnswerUnanswered {
			responses = append(responses, r)
		}
	}
	d.Responses = responses
	return d
}

// rulingIn returns the ruling that an event records.
func rulingIn(e Event) (Ruling, bool) {
	switch p := e.Payload.(type) {
	case SessionSuspended:
		return Suspend{Fault: p.Fault}, p.Ask == ""
	case SessionResumed:
		return Resume{By: p.By}, true
	case SessionAdjourned:
		return Adjourn{By: p.By, Reason: p.Reason}, true
	case BudgetAmended:
		return AmendBudget{By: p.By, Budget: p.Budget}, true
	case BriefAmended:
		return AmendBrief{By: p.By, Brief: p.Brief}, true
	case ExecutionApproved:
		return Approve{By: p.By, BriefSHA256: p.BriefSHA256, Note: p.Note}, true
	case ExecutionRejected:
		return Reject{By: p.By, BriefSHA256: p.BriefSHA256, Reason: p.Reason}, true
	case ExecutionStarted:
		return StartExecution{By: p.By, BriefSHA256: p.BriefSHA256}, true
	case ExecutionFinished:
		return FinishExecution{By: p.By, Succeeded: p.Succeeded, Note: p.Note}, true
	}
	return nil, false
}
