package rules

import (
	"slices"

	"github.com/council-engine/council/council"
)

// turn is a turn that was taken, which is to be checked.
type turn struct {
	*visit
	member   council.MemberID
	answered council.Answered
	council.Turn
}

func (t turn) payload() (council.Payload, error) {
	switch {
	case t.Action == council.ActionContribute:
		cites := t.contest.firstCited(t.answered, t.Message)
		return council.ContributionMade{Answered: t.answered, Message: t.Message, Cites: cites},
			requireText("message", t.Message)
	case t.Action == council.ActionPass:
		cites := t.contest.firstCited(t.answered, t.Reason, t.Note)
		return council.TurnPassed{Answered: t.answered, Reason: t.Reason, Note: t.Note, Cites: cites}, nil
	case t.Action == council.ActionAddOption:
		return t.optionPayload()
	case t.Action == council.ActionCallVote && t.ranksOptions():
		return nil, badReply("the options are ranked when the debate ends, and no motion is voted on")
	case t.Action == council.ActionCallVote:
		return t.motionPayload()
	case t.Action == council.ActionAsk && t.mayAsk():
		return t.questionPayload()
	case t.Action == council.ActionCallChoice && t.phase.Governance.Choices && !t.together && !t.ranksOptions():
		return t.choicePayload()
	}
	return nil, badReply("there is no action %q", t.Action)
}

// optionPayload checks an option that a turn adds, with its reasons.
func (t turn) optionPayload() (council.Payload, error) {
	options, may := t.charter.OptionsAt(t.phase, t.added, t.answered.AsOf, t.member)
	if !may {
		return nil, badReply("no option can be added")
	}
	if _, problem := council.OptionProblem(append(options, t.Option)); problem != "" {
		return nil, badReply("the option: %s", problem)
	}
	return council.ContributionMade{
		Answered: t.answered, Message: t.Message, Option: t.Option, Cites: t.contest.firstCited(t.answered, t.Message),
	}, requireText("message", t.Message)
}

func (t turn) motionPayload() (council.Payload, error) {
	for _, part := range []struct{ name, text string }{
		{"motionTitle", t.MotionTitle}, {"motionText", t.MotionText}, {"decisionIfPass", t.DecisionIfPass},
	} {
		if err := requireText(part.name, part.text); err != nil {
			return nil, err
		}
	}
	for _, id := range t.Supersedes {
		if !slices.Contains(motionIDs(t.carried), id) {
			return nil, badReply("no motion %q stands in this phase", id)
		}
	}
	moved := council.Wording{MotionTitle: t.MotionTitle, MotionText: t.MotionText, DecisionIfPass: t.DecisionIfPass}
	return council.MotionMade{
		Answered: t.answered, Motion: t.turnID(t.member), MotionTitle: t.MotionTitle, MotionText: t.MotionText,
		DecisionIfPass: t.DecisionIfPass, Supersedes: t.Supersedes,
	}, t.refuseLost(moved, nil)
}

func (t turn) choicePayload() (council.Payload, error) {
	if _, problem := council.OptionProblem(t.Options); problem != "" {
		return nil, badReply("the options: %s", problem)
	}
	if err := t.refuseLost(council.Wording{}, t.Options); err != nil {
		return nil, err
	}
	return council.MotionMade{
		Answered: t.answered, Motion: t.turnID(t.member), MotionTitle: t.MotionTitle, MotionText: t.MotionText,
		Options: t.Options,
	}, requireText("motionTitle", t.MotionTitle)
}

func (t turn) questionPayload() (council.Payload, error) {
	if t.To == t.member || t.To != council.Convener && !slices.Contains(t.seats, t.To) {
		return nil, badReply("a question is put to another member or to %s, not to %q", council.Convener, t.To)
	}
	return council.QuestionPut{
		Answered: t.answered, To: t.To, Question: t.Question,
		Unanswered: t.To == council.Convener && !t.charter.Deliberation.Convener,
	}, requireText("question", t.Question)
}
