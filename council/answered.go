package council

// answer returns what it is part of as a value: events find the reply that they record by it.
func (a Answered) answer() Answered { return a }

// Answered is the reply that an event records, if it records one; a fault is one too.
func (e Event) Answered() (Answered, bool) {
	if p, ok := e.Payload.(interface{ answer() Answered }); ok {
		return p.answer(), true
	}
	return Answered{}, false
}

// Said is what a member answered in an event, as it gave it. It is nil for faults and for all that is not an answer.
func (e Event) Said() Body {
	switch p := e.Payload.(type) {
	case PositionSealed:
		return p.Position
	case LeaderBallotCast:
		return p.Nomination
	case ContributionMade:
		return Turn{Action: ActionContribute, Message: p.Message}
	case TurnPassed:
		return Turn{Action: ActionPass, Reason: p.Reason, Note: p.Note}
	case MotionMade:
		return Turn{
			Action: ActionCallVote, MotionTitle: p.MotionTitle, MotionText: p.MotionText, DecisionIfPass: p.DecisionIfPass,
		}
	case SecondAnswered:
		return p.Second
	case BallotCast:
		return p.Ballot
	case PhaseAssessed:
		return p.Assessment
	case SummaryWritten:
		return p.Summary
	case DraftWritten:
		return p.Draft.asGiven()
	case ReviewGiven:
		return p.Review
	case DissentWritten:
		return p.Dissent
	}
	return nil
}

// asGiven is the draft as the leader gave it, without what was noted about it.
func (d Draft) asGiven() Draft {
	var responses []BlockerResponse
	for _, r := range d.Responses {
		if r.Answer != AnswerUnanswered {
			responses = append(responses, r)
		}
	}
	d.Responses = responses
	return d
}
