package prompt

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/internal/reply"
)

// Text returns what a member writes to answer with b: the JSON of its contract, or the Markdown of a draft, with the
// answers to blockers at its end. [Parse] reads it back. Every list that the contract requires is there even when it is
// empty, so that a member is never shown an answer of its own that would be refused.
func Text(b council.Body) string {
	switch b := b.(type) {
	case council.Draft:
		return draftText(b)
	case council.Position:
		return council.CompactJSON(positionForm{b.Position, b.Confidence, list(b.Overlooked), b.Stance, groups(b.Ranking),
			b.CandidateID})
	case council.Ranked:
		return council.CompactJSON(rankForm{b.Rationale, groups(b.Ranking)})
	case council.Amend:
		b.Amendments = list(b.Amendments)
		return council.CompactJSON(b)
	case council.Assessment:
		b.Deliverables, b.QualityGates = claims(b.Deliverables), claims(b.QualityGates)
		b.Assumptions, b.Risks = list(b.Assumptions), list(b.Risks)
		b.Constraints, b.Citations = list(b.Constraints), list(b.Citations)
		return council.CompactJSON(b)
	case council.Summary:
		if b.ExecutionBrief != nil {
			brief := *b.ExecutionBrief
			brief.Steps, brief.Risks = list(brief.Steps), list(brief.Risks)
			brief.AcceptanceCriteria = list(brief.AcceptanceCriteria)
			b.ExecutionBrief = &brief
		}
		return council.CompactJSON(b)
	case council.Review:
		b.CriticalBlockers, b.SuggestedChanges = list(b.CriticalBlockers), list(b.SuggestedChanges)
		return council.CompactJSON(b)
	}
	return council.CompactJSON(b)
}

// The forms of answers with a ranking, which is written with equals in one text.
type (
	positionForm struct {
		Position    string           `json:"position"`
		Confidence  float64          `json:"confidence"`
		Overlooked  []string         `json:"overlooked"`
		Stance      string           `json:"stance,omitempty"` // which is asked for only where it counts
		Ranking     []string         `json:"ranking,omitempty"`
		CandidateID council.MemberID `json:"candidateId,omitempty"`
	}
	rankForm struct {
		Rationale string   `json:"rationale"`
		Ranking   []string `json:"ranking"`
	}
)

// draftText returns a draft as its leader wrote it, with the answers to blockers that it gave.
func draftText(d council.Draft) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(d.Markdown, "\n"))
	if len(d.Responses) > 0 {
		b.WriteString("\n\n## " + reply.ResponsesHeading)
	}
	for _, r := range d.Responses {
		b.WriteString("\n- " + r.BlockerID + ": " + string(r.Answer))
		if r.Note != "" {
			b.WriteString(" - " + r.Note)
		}
	}
	return b.String()
}

// groups returns an order of options as a contract wants it: equals in one text.
func groups(r council.Ranks) []string {
	var out []string
	for _, group := range r {
		out = append(out, strings.Join(group, " = "))
	}
	return out
}

// claims returns claims that all have a list of citations.
func claims(in []council.Claim) []council.Claim {
	out := append([]council.Claim{}, in...)
	for i := range out {
		out[i].Citations = list(out[i].Citations)
	}
	return out
}

// list makes an empty list of none.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
