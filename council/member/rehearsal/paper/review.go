package paper

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/wording"
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
	if plan := m.planOf(); m.askedForStep(mine) && plan.title != "" {
		section = plan.title
	}
	slots := append(m.VoteSlots(&mind.MotionNote{}, mine), "{section}", hostile.Inline(section))
	choice := council.ChoiceYes
	blocker, answer := m.myBlocker()
	slots = append(slots, "{blocker}", blocker)
	line, lacksLine := m.line()
	slots = append(slots, "{ref}", line.Ref)
	switch {
	case m.Me.ID == m.Leader:
		s.Must(wording.DraftOwn)
	case section != "" && m.lacksStep(mine):
		choice = council.ChoiceNo
		if m.Me.Temper > 0.3 {
			choice = council.ChoiceAbstain
		}
		s.Must(wording.DraftNoStep, slots...)
	case section != "" && lacksLine && !strings.Contains(m.Draft.Markdown, line.Quote):
		choice = council.ChoiceNo
		if m.Me.Temper > 0.3 {
			choice = council.ChoiceAbstain
		}
		s.Must(wording.DraftNoLine, slots...)
	case section != "" && answer == council.AnswerAccepted && m.askedFor(line):
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

// planOf is the section of the draft that says what happens next; without a title when there is none.
func (m writer) planOf() heading {
	for _, h := range headings(m.Draft.Markdown) {
		if partOf(h.title) == partPlan {
			return h
		}
	}
	return heading{}
}

// lacksStep reports whether the draft's plan has no step towards w, and this member insists on one.
func (m writer) lacksStep(w concern.Want) bool {
	plan := m.planOf()
	return plan.title != "" && !slices.Contains(m.ordersIn(plan.text), w) && concern.Chance(string(m.Me.ID), m.Topic.Text, "step")+0.2*m.Me.Temper < 0.7
}

// askedForStep reports whether this member's newest review asks for a step towards w.
func (m writer) askedForStep(w concern.Want) bool {
	for _, v := range slices.Backward(m.Log.Reviews) {
		if v.By == m.Me.ID {
			return slices.ContainsFunc(v.CriticalBlockers, func(b council.Blocker) bool { return slices.Contains(m.ordersIn(b.RequiredChange), w) })
		}
	}
	return false
}

// askedFor reports whether this member's newest review asks for a line to be quoted.
func (m writer) askedFor(line mind.Cite) bool {
	for _, v := range slices.Backward(m.Log.Reviews) {
		if v.By == m.Me.ID {
			return slices.ContainsFunc(v.CriticalBlockers, func(b council.Blocker) bool { return strings.Contains(b.RequiredChange, line.Quote) })
		}
	}
	return false
}

// judgeDraft is for a document that leaves out what the member stood for.
func (m writer) judgeDraft(answer council.ResponseAnswer) (council.Choice, wording.Bank) {
	ease := 0.25*m.Me.Temper + 0.55*concern.Chance(string(m.Me.ID), m.Topic.Text, "draft")
	if answer == council.AnswerDeferred || answer == council.AnswerRejected {
		ease += 0.3 // it was heard, if not followed
	}
	switch {
	case ease >= 0.55:
		return council.ChoiceYes, wording.DraftAnyway
	case ease >= 0.42:
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
			return r.Cites[0], concern.Chance(string(m.Me.ID), m.Topic.Text, "line")+0.2*m.Me.Temper < 0.65
		}
	}
	return mind.Cite{}, false
}
