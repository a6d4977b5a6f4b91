package minutes

import (
	"slices"

	"github.com/council-engine/council/council"
)

// rewritten returns a copy of a payload in which f has been applied to all that is a member's own prose. Titles are
// left: they stand in headings.
func rewritten(p council.Payload, f func(string) string) council.Payload {
	switch p := p.(type) {
	case council.PositionSealed:
		p.Position.Position, p.OnlyIKnow = f(p.Position.Position), each(p.OnlyIKnow, f)
		return p
	case council.LeaderBallotCast:
		p.Rationale = f(p.Rationale)
		return p
	case council.ContributionMade:
		p.Message = f(p.Message)
		return p
	case council.TurnPassed:
		p.Reason, p.Note = f(p.Reason), f(p.Note)
		return p
	case council.MotionMade:
		p.MotionText, p.DecisionIfPass = f(p.MotionText), f(p.DecisionIfPass)
		return p
	case council.SecondAnswered:
		p.Rationale = f(p.Rationale)
		return p
	case council.BallotCast:
		p.Rationale = f(p.Rationale)
		return p
	case council.PhaseAssessed:
		p.Assessment = assessed(p.Assessment, f)
		return p
	case council.SummaryWritten:
		p.SummaryMarkdown, p.FinalResolution = f(p.SummaryMarkdown), f(p.FinalResolution)
		if p.ExecutionBrief != nil {
			b := *p.ExecutionBrief
			b.Objective = f(b.Objective)
			b.Steps, b.Risks, b.AcceptanceCriteria = each(b.Steps, f), each(b.Risks, f), each(b.AcceptanceCriteria, f)
			p.ExecutionBrief = &b
		}
		return p
	case council.DraftWritten:
		p.Markdown = f(p.Markdown)
		p.Responses = slices.Clone(p.Responses)
		for i := range p.Responses {
			p.Responses[i].Note = f(p.Responses[i].Note)
		}
		return p
	case council.ReviewGiven:
		p.CriticalBlockers = slices.Clone(p.CriticalBlockers)
		for i := range p.CriticalBlockers {
			b := &p.CriticalBlockers[i]
			b.Problem, b.Impact, b.RequiredChange = f(b.Problem), f(b.Impact), f(b.RequiredChange)
		}
		p.SuggestedChanges = each(p.SuggestedChanges, f)
		return p
	case council.DissentWritten:
		p.Dissent.Dissent = f(p.Dissent.Dissent)
		return p
	}
	return p
}

func assessed(a council.Assessment, f func(string) string) council.Assessment {
	a.Deliverables, a.QualityGates, a.Risks = slices.Clone(a.Deliverables), slices.Clone(a.QualityGates), slices.Clone(a.Risks)
	for _, claims := range [][]council.Claim{a.Deliverables, a.QualityGates} {
		for i := range claims {
			claims[i].Claim = f(claims[i].Claim)
		}
	}
	a.Assumptions, a.Constraints = each(a.Assumptions, f), each(a.Constraints, f)
	for i := range a.Risks {
		a.Risks[i].Risk, a.Risks[i].Mitigation = f(a.Risks[i].Risk), f(a.Risks[i].Mitigation)
	}
	return a
}

func each(texts []string, f func(string) string) []string {
	out := slices.Clone(texts)
	for i := range out {
		out[i] = f(out[i])
	}
	return out
}

// alone are the citations that an assessment gives as such, each once.
func alone(a council.Assessment) []string {
	var out []string
	add := func(cites []string) {
		for _, c := range cites {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	for _, c := range slices.Concat(a.Deliverables, a.QualityGates) {
		add(c.Citations)
	}
	add(a.Citations)
	return out
}
