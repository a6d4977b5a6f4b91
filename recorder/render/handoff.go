package render

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder/wire"
)

func (s *session) handoffFile() HandoffFile {
	h := s.Handoff
	f := HandoffFile{
		Header:           s.header(),
		Council:          s.Started.Charter.CouncilName,
		Topic:            s.Started.Topic.Text,
		ClosedAt:         wire.Stamp(s.Closed),
		Leader:           s.Outcome.Leader,
		Status:           h.Status,
		ApprovalRequired: s.Started.Charter.Execution.RequireHumanApproval,
		Approved:         h.Approved(),
		Withheld:         h.Held(),
		Why:              h.Held().Why(),
		Approval:         s.Ruling(h.Approval),
		Rejection:        s.Ruling(h.Rejection),
		Started:          s.Ruling(h.Start),
		Finished:         s.Ruling(h.Finish),
		Decisions:        []minutes.Motion{},
		Unmet:            s.Unmet(),
		BriefSHA256:      h.BriefSHA256,
		DefaultProfile:   s.Started.Charter.Execution.DefaultExecutorProfile,
		Steps:            []HandoffStep{},
		Risks:            []HandoffRisk{},
		Documents:        s.givenDocuments(),
		Documentation:    HandoffDocumentation{Status: s.Outcome.Documentation},
	}
	if s.Summary != nil {
		f.FinalResolution = s.Summary.FinalResolution
	}
	var decided []AskedFor
	for _, id := range h.Executes {
		f.Motion = id
		if m := s.Motion(id); m != nil {
			one := *m
			one.Ballots = nil
			f.Decisions, decided = append(f.Decisions, one), append(decided, AskedFor{m.Event, m.Mover})
		}
	}
	b := council.Brief{}
	if h.Brief != nil { // else it was erased
		b = *h.Brief
	}
	steps, risks, criteria := b.Told()
	f.Brief = HandoffBrief{b.Objective, b.RecommendedExecutorProfile, listOf(steps), listOf(risks), listOf(criteria)}
	f.Criteria = listOf(b.AcceptanceCriteria)
	for i, step := range b.Steps {
		f.Steps = append(f.Steps, HandoffStep{
			fmt.Sprintf("s%d", i+1), step.Step, listOf(step.AcceptanceCriteria), s.askedFor(step.AskedIn, decided),
		})
	}
	for i, risk := range b.Risks {
		f.Risks = append(f.Risks, HandoffRisk{fmt.Sprintf("r%d", i+1), risk})
	}
	if doc := s.documentation(); doc.File != "" {
		f.Documentation.File, f.Documentation.FileSHA256 = doc.File, doc.SHA256
		f.Documentation.SHA256 = s.FinalDraft().SHA256
	}
	return f
}

// askedFor finds who asked for a step in the events that the brief names. Without any of the session, it returns
// otherwise.
func (s *session) askedFor(events []string, otherwise []AskedFor) []AskedFor {
	var asked []AskedFor
	for _, e := range s.Events {
		if slices.Contains(events, e.Seq.ID()) {
			asked = append(asked, AskedFor{e.Seq.ID(), e.Actor})
		}
	}
	if asked == nil {
		asked = otherwise
	}
	return listOf(asked)
}

// listOf returns the list, and an empty one for nil, which JSON would have as null.
func listOf[T any](list []T) []T { return append([]T{}, list...) }
