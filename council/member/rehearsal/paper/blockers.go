package paper

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/wording"
	"github.com/council-engine/council/internal/hostile"
)

// review names what stands between the member and its approval.
func (m writer) review() council.Review {
	s := m.Speak()
	v := council.Review{CriticalBlockers: []council.Blocker{}, SuggestedChanges: []string{}}
	mine, markdown := m.stoodFor(), m.Draft.Markdown
	if _, ok := m.promised(markdown)[mine]; !ok {
		d := m.Demand(mine)
		section := place(d, titlesOf(markdown))
		slots := append(m.VoteSlots(&mind.MotionNote{}, mine), "{section}", hostile.Inline(section))
		one := func(bank wording.Bank) string {
			s.Out = nil
			s.MustOf(bank, slots, m.HasRaised(mine))
			return s.Done()
		}
		v.CriticalBlockers = append(v.CriticalBlockers, council.Blocker{
			ID: "b1", Section: section, Problem: one(wording.Problems), Impact: one(wording.Impacts), RequiredChange: one(wording.ChangesAsked), Severity: m.severity(mine),
		})
	}
	if held := m.promised(markdown)[mine] != ""; held && m.lacksStep(mine) {
		v.CriticalBlockers = append(v.CriticalBlockers, m.stepBlocker(s, mine))
	}
	line, insists := m.line()
	if insists && !strings.Contains(markdown, line.Quote) {
		v.CriticalBlockers = append(v.CriticalBlockers, m.lineBlocker(s, line, markdown))
	}
	for _, r := range m.Rank(1, "", func(e *mind.Entry) bool {
		return m.Quoted(e) && mind.Statement(e) && !strings.Contains(markdown, mind.Words(e.Text)) && mind.Words(e.Text) != line.Quote
	}) {
		s.Out = nil
		s.Must(wording.Suggestions, "{q}", m.Quote(r.Entry))
		v.SuggestedChanges = append(v.SuggestedChanges, s.Done())
	}
	return v
}

func (m writer) stepBlocker(s *mind.Speech, w concern.Want) council.Blocker {
	plan := m.planOf().title
	slots := append(m.VoteSlots(&mind.MotionNote{}, w), "{section}", hostile.Inline(plan), "{step}", m.Demand(w).Step)
	one := func(bank wording.Bank) string {
		s.Out = nil
		s.Must(bank, slots...)
		return s.Done()
	}
	return council.Blocker{
		ID: "b1", Section: plan, Problem: one(wording.StepProblems), Impact: one(wording.Impacts), RequiredChange: one(wording.StepChanges), Severity: m.severity(w),
	}
}

func (m writer) lineBlocker(s *mind.Speech, line mind.Cite, markdown string) council.Blocker {
	section := ""
	for _, h := range headings(markdown) {
		switch p := partOf(h.title); {
		case p == partContext || p == partEvidence || section == "" && (p == partReasons || p == partScope):
			section = h.title
		}
	}
	if section == "" {
		section = place(&concern.Demand{MainlyWhen: "evidence"}, titlesOf(markdown))
	}
	slots := []string{"{ref}", line.Ref, "{q}", "“" + line.Quote + "” (" + line.Ref + ")", "{section}", hostile.Inline(section)}
	one := func(bank wording.Bank) string {
		s.Out = nil
		s.Must(bank, slots...)
		return s.Done()
	}
	return council.Blocker{ID: "b2", Section: section, Problem: one(wording.LineProblems), Impact: one(wording.LineImpacts), RequiredChange: one(wording.LineChanges), Severity: "medium"}
}

func titlesOf(markdown string) []string {
	var titles []string
	for _, h := range headings(markdown) {
		titles = append(titles, h.title)
	}
	return titles
}

func (m writer) severity(w concern.Want) string {
	weight := m.Me.Weights[w.Theme] - 0.15*m.Me.Temper
	switch {
	case weight >= 0.9 && m.Themes[w.Theme].Lean <= -0.5:
		return "critical"
	case weight >= 0.6:
		return "high"
	case weight >= 0.3:
		return "medium"
	}
	return "low"
}
