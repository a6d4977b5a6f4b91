package paper

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"

	"github.com/council-engine/council/council/member/rehearsal/wording"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// stoodFor is what this member wants to find in a document: what it asked for last, resolved or not.
func (m writer) stoodFor() concern.Want {
	for _, r := range m.MyWants() {
		if r.Visit > 0 {
			return r.Want
		}
	}
	w, _ := m.NextWant(func(concern.Want) bool { return false })
	return w
}

// Ballot approves a document that commits to what the member stood for.
func (m writer) ballot() council.Ballot {
	s := m.Speak()
	mine := m.stoodFor()
	section := m.promised(m.Draft.Markdown)[mine]
	slots := append(m.VoteSlots(&mind.MotionNote{}, mine), "{section}", hostile.Inline(section))
	choice := council.ChoiceYes
	blocker, answer := m.myBlocker()
	slots = append(slots, "{blocker}", blocker)
	line, lacksLine := m.line()
	slots = append(slots, "{ref}", line.Ref)
	switch {
	case m.Me.ID == m.Leader:
		s.Must(wording.DraftOwn)
	case section != "" && lacksLine && !strings.Contains(m.Draft.Markdown, line.Quote):
		choice = council.ChoiceNo
		if m.Me.Temper > 0.3 {
			choice = council.ChoiceAbstain
		}
		s.Must(wording.DraftNoLine, slots...)
	case section != "" && answer == council.AnswerAccepted && lacksLine:
		s.Must(wording.DraftFixedLine, slots...)
	case section != "" && answer == council.AnswerAccepted:
		s.Must(wording.DraftFixed, slots...)
	case section != "":
		s.Must(wording.DraftYes, slots...)
	default:
		var reason wording.Bank
		choice, reason = m.judgeDraft(answer)
		s.Must(reason, slots...)
	}
	return council.Ballot{Rationale: s.Done(), Ballot: choice}
}

// judgeDraft is for a document that leaves out what the member stood for.
func (m writer) judgeDraft(answer council.ResponseAnswer) (council.Choice, wording.Bank) {
	ease := 0.25*m.Me.Temper + 0.55*concern.Chance(string(m.Me.ID), m.Topic.Text, "draft")
	if answer == council.AnswerDeferred || answer == council.AnswerRejected {
		ease += 0.3 // it was heard, if not followed
	}
	switch {
	case ease >= 0.45:
		return council.ChoiceYes, wording.DraftAnyway
	case ease >= 0.35:
		return council.ChoiceAbstain, wording.DraftAbstains
	}
	return council.ChoiceNo, wording.DraftNo
}

// myBlocker is the member's newest blocker and how the draft before us answers it.
func (m writer) myBlocker() (string, council.ResponseAnswer) {
	for _, r := range m.Draft.Responses {
		for _, v := range slices.Backward(m.Log.Reviews) {
			if v.By != m.Me.ID || v.Version != m.Draft.Version-1 {
				continue
			}
			for _, b := range v.CriticalBlockers {
				if b.ID == r.BlockerID {
					return b.ID, r.Answer
				}
			}
		}
	}
	return "", ""
}

// line is what this member rested its position on, and whether it insists on seeing it in the document.
func (m writer) line() (mind.Cite, bool) {
	for _, r := range m.Log.Remarks {
		if r.By == m.Me.ID && r.Kind == council.AskPosition && len(r.Cites) > 0 && !m.Index.Bare {
			return r.Cites[0], concern.Chance(string(m.Me.ID), m.Topic.Text, "line")+0.2*m.Me.Temper < 0.5
		}
	}
	return mind.Cite{}, false
}

// review names what stands between the member and its approval.
func (m writer) review() council.Review {
	s := m.Speak()
	v := council.Review{CriticalBlockers: []council.Blocker{}, SuggestedChanges: []string{}}
	mine, markdown := m.stoodFor(), ""
	if m.Draft != nil {
		markdown = m.Draft.Markdown
	}
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
	if line, insists := m.line(); insists && !strings.Contains(markdown, line.Quote) {
		v.CriticalBlockers = append(v.CriticalBlockers, m.lineBlocker(s, line, markdown))
	}
	for _, r := range m.Rank(1, "", func(e *mind.Entry) bool {
		return m.Quoted(e) && mind.Statement(e) && !strings.Contains(markdown, mind.Words(e.Text))
	}) {
		s.Out = nil
		s.Must(wording.Suggestions, "{q}", m.Quote(r.Entry))
		v.SuggestedChanges = append(v.SuggestedChanges, s.Done())
	}
	return v
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

// revise turns the blockers of all reviews so far into changes by section, and answers those that are open.
func (m writer) revise(titles []string) (map[string][]string, []string) {
	changes := map[string][]string{}
	var responses []string
	for _, v := range m.Log.Reviews {
		for _, b := range v.CriticalBlockers {
			section, change, response := m.amend(v.By, b, titles, changes)
			if change != "" {
				changes[section] = append(changes[section], change)
			}
			if slices.ContainsFunc(m.Blockers, func(x council.Blocker) bool { return x.ID == b.ID }) {
				responses = append(responses, "- "+b.ID+": "+response)
			}
		}
	}
	return changes, responses
}

// amend decides on one blocker: taken up in its section, put off to the open questions when it weighs little, or
// refused when an earlier one has brought it already.
func (m writer) amend(by council.MemberID, b council.Blocker, titles []string, changes map[string][]string) (section, change, response string) {
	section = titles[len(titles)-1]
	for _, title := range titles {
		if strings.EqualFold(strings.TrimSpace(title), strings.TrimSpace(b.Section)) {
			section = title
		}
	}
	origin := "asked for by " + m.Name(by) + " in review, " + hostile.Inline(b.ID)
	wants := m.WantsIn(b.RequiredChange + " " + b.Problem)
	if b.Severity == "low" {
		for _, title := range titles {
			if partOf(title) == partOpen {
				return title, "Put off: " + hostile.Inline(mind.Cut(hostile.Line(b.RequiredChange), 300)) + " (" + origin + ")",
					"deferred - it is noted under “" + hostile.Inline(title) + "”; the council did not resolve it."
			}
		}
	}
	if q := mind.Quotation.FindStringSubmatch(b.RequiredChange); len(wants) == 0 && len(q) == 3 && q[2] != "" && m.EntryOf(q[1]) != nil {
		return section, "“" + q[1] + "” (" + q[2] + "), " + origin + ".",
			"accepted - “" + hostile.Inline(section) + "” now quotes " + q[2] + "."
	}
	if len(wants) == 0 {
		return section, hostile.Inline(mind.Cut(hostile.Line(b.RequiredChange), 400)) + " (" + origin + ")",
			"accepted - the change stands under “" + hostile.Inline(section) + "” as it was asked for."
	}
	d := m.Demand(wants[0])
	if !promising[partOf(section)] {
		section = place(d, titles)
	}
	for _, known := range changes[section] {
		if strings.Contains(known, d.Need) {
			return section, "", "rejected - another blocker brought " + d.Need + " already; it stands under “" + hostile.Inline(section) + "”."
		}
	}
	return section, "There is to be " + d.Need + ". " + d.Step + " (" + mind.UpperFirst(origin) + ".)",
		"accepted - “" + hostile.Inline(section) + "” now says that there is to be " + d.Need + "."
}
