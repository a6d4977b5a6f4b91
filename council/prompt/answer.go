package prompt

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/internal/reply"
)

// Text returns what a member writes to answer with b: the JSON of its contract, with every list there even when it is
// empty, or the Markdown of a draft, with the answers to blockers at its end. [Parse] reads it back.
func Text(b council.Body) string {
	switch b := b.(type) {
	case council.Position:
		return council.CompactJSON(positionForm{b.Position, b.Confidence, list(b.Overlooked), b.Stance, groups(b.Ranking),
			b.CandidateID})
	case council.Ranked:
		return council.CompactJSON(rankForm{b.Rationale, groups(b.Ranking)})
	case council.Amend:
		return council.CompactJSON(amendForm{b.Rationale, list(b.Amendments), b.Withdraw})
	case council.Assessment:
		return council.CompactJSON(assessmentOf(b))
	case council.Summary:
		return council.CompactJSON(summaryOf(b))
	case council.Draft:
		return draftText(b)
	case council.Review:
		return council.CompactJSON(reviewForm{list(b.CriticalBlockers), list(b.SuggestedChanges)})
	}
	return council.CompactJSON(b)
}

// The forms are the bodies as their contracts want them: lists are there even when they are empty, so that a member
// is never shown an answer of its own that would be refused.
type (
	positionForm struct {
		Position   string   `json:"position"`
		Confidence float64  `json:"confidence"`
		Overlooked []string `json:"overlooked"`
		Stance     string   `json:"stance,omitempty"` // which is asked for only where it counts
		Ranking    []string `json:"ranking,omitempty"`

		CandidateID council.MemberID `json:"candidateId,omitempty"`
	}
	rankForm struct {
		Rationale string   `json:"rationale"`
		Ranking   []string `json:"ranking"`
	}
	amendForm struct {
		Rationale  string                `json:"rationale"`
		Amendments []council.AmendmentID `json:"amendments"`
		Withdraw   bool                  `json:"withdraw,omitempty"`
	}
	claimForm struct {
		ID        string   `json:"id"`
		Claim     string   `json:"claim"`
		Citations []string `json:"citations"`
		Met       bool     `json:"met"`
	}
	assessmentForm struct {
		Deliverables []claimForm    `json:"deliverables"`
		QualityGates []claimForm    `json:"qualityGates"`
		Assumptions  []string       `json:"assumptions"`
		Risks        []council.Risk `json:"risks"`
		Constraints  []string       `json:"constraints"`
		Citations    []string       `json:"citations"`
	}
	summaryForm struct {
		SummaryMarkdown   string     `json:"summaryMarkdown"`
		FinalResolution   string     `json:"finalResolution"`
		RequiresExecution bool       `json:"requiresExecution"`
		ExecutionBrief    *briefForm `json:"executionBrief,omitempty"`

		Undecided *council.Undecided   `json:"undecided,omitempty"`
		Settles   []council.Settlement `json:"settles,omitempty"` // which is asked for only where there is something to settle
	}
	briefForm struct {
		Objective                  string              `json:"objective"`
		RecommendedExecutorProfile string              `json:"recommendedExecutorProfile"`
		Motions                    []string            `json:"motions,omitempty"`
		Steps                      []council.Step      `json:"steps"`
		Risks                      []council.BriefRisk `json:"risks"`
		AcceptanceCriteria         []string            `json:"acceptanceCriteria"`
	}
	reviewForm struct {
		CriticalBlockers []council.Blocker `json:"criticalBlockers"`
		SuggestedChanges []string          `json:"suggestedChanges"`
	}
)

func assessmentOf(a council.Assessment) assessmentForm {
	claims := func(in []council.Claim) []claimForm {
		out := make([]claimForm, len(in))
		for i, c := range in {
			out[i] = claimForm{c.ID, c.Claim, list(c.Citations), c.Met}
		}
		return out
	}
	return assessmentForm{
		claims(a.Deliverables), claims(a.QualityGates), list(a.Assumptions), list(a.Risks), list(a.Constraints),
		list(a.Citations),
	}
}

func summaryOf(s council.Summary) summaryForm {
	form := summaryForm{s.SummaryMarkdown, s.FinalResolution, s.RequiresExecution, nil, s.Undecided, s.Settles}
	if b := s.ExecutionBrief; b != nil {
		form.ExecutionBrief = &briefForm{
			b.Objective, b.RecommendedExecutorProfile, b.Motions, list(b.Steps), list(b.Risks), list(b.AcceptanceCriteria),
		}
	}
	return form
}

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

// list makes an empty list of none.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
