package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/wire"
)

// sessionFile is session.json.
func (s *session) sessionFile() artifact.SessionFile {
	f := artifact.SessionFile{
		Header:        s.Header,
		Council:       s.Started.Charter.CouncilName,
		Topic:         s.Started.Topic.Text,
		Documents:     s.givenDocuments(),
		Skipped:       s.Started.Topic.Skipped,
		Cut:           s.Started.Topic.Cut,
		Hidden:        s.Started.Topic.Hidden,
		CutReplies:    s.withheld.Secrets(),
		HiddenReplies: s.withheld.Hidden(),
		CutLookups:    s.withheld.SecretsLookedUp(),
		HiddenLookups: s.withheld.HiddenLookedUp(),
		Lookups:       s.lookups.Report(),
		Memory:        s.memoryPart(),
		Status:        s.Status(),
		OpenedAt:      wire.Stamp(s.Opened),
		LastEvent:     s.Last.Seq.ID(),
		Checkpoint:    s.checkpoint(),
		Members:       s.members(),
		Diversity:     s.Spent.Diversity(),
		Leader:        s.Leader,
		Phases:        []artifact.PhaseVisit{},
		Motions:       []artifact.Motion{},
		Documentation: s.documentation(),
		Execution:     s.execution(),
		Dissents:      []artifact.DissentRef{},
		Faults:        append([]artifact.FaultRecord{}, s.Faults...),
		Suspensions:   append([]artifact.Suspension{}, s.Stops...),
		Usage:         s.Spent.Report(s.Seats()),
		Erased:        s.Erased,
		Citations:     s.cited.Report(),
		Receipt:       s.receipt.Receipt(),
	}
	if !s.Closed.IsZero() {
		f.ClosedAt = wire.Stamp(s.Closed)
	}
	for _, v := range s.Visits {
		f.Phases = append(f.Phases, v.PhaseVisit)
	}
	for _, m := range s.Motions {
		f.Motions = append(f.Motions, *m)
	}
	for _, e := range s.Dissents {
		f.Dissents = append(f.Dissents, artifact.DissentRef{Member: e.Actor, Event: e.Seq.ID()})
	}
	if s.Outcome != nil {
		f.Decided = s.Outcome.Decided
		if s.Outcome.Resolution != nil {
			f.Resolution = s.Outcome.Resolution.Motion
		}
	}
	for _, file := range s.files() {
		f.Artifacts = append(f.Artifacts, file.name)
	}
	return f
}

func (s *session) execution() artifact.Execution {
	h := s.Handoff
	x := artifact.Execution{Status: h.Status, Withheld: h.Held(), Why: h.Held().Why()}
	if h.HandedOff() {
		x.BriefSHA256 = h.BriefSHA256
	}
	return x
}

func (s *session) checkpoint() artifact.Checkpoint {
	stands := s.tree.Checkpoint(s.tree.Size())
	return artifact.Checkpoint{Origin: stands.Origin(), Size: stands.Size, Root: stands.Root}
}

func (s *session) givenDocuments() []artifact.GivenDocument {
	given := []artifact.GivenDocument{}
	for _, d := range s.Started.Topic.Documents {
		given = append(given, artifact.GivenDocument{Name: d.Name, SHA256: d.SHA256, Bytes: len(d.Text)})
	}
	return given
}

func (s *session) members() []artifact.Seat {
	seats := []artifact.Seat{}
	for _, id := range s.Started.Charter.Seats() {
		if m := s.Started.Charter.Member(id); m != nil {
			seats = append(seats, artifact.Seat{
				ID: id, Name: m.Name, Role: m.Role,
				Provider: m.Model.Provider, Model: m.Model.Model, Reported: s.Spent.Reported(id),
				StoodIn: s.Spent.StoodIn(id), PromptCut: s.Spent.PromptCut(id),
			})
		}
	}
	return seats
}

func (s *session) documentation() artifact.Documentation {
	doc := artifact.Documentation{Drafts: []artifact.DraftRecord{}}
	for _, d := range s.Drafts {
		doc.Drafts = append(doc.Drafts, artifact.DraftRecord{
			Version: d.Version, SHA256: d.SHA256, File: d.File(), FileSHA256: d.FileSHA256(), Event: d.Event, Vote: d.Vote,
		})
	}
	last := s.FinalDraft()
	if s.Outcome != nil {
		doc.Status = s.Outcome.Documentation
	} else if last != nil && last.Approved() {
		doc.Status = council.DocumentationApproved
	}
	switch {
	case last == nil || last.Erased:
	case doc.Status == council.DocumentationApproved:
		doc.File = FileApproved
	case doc.Status == council.DocumentationUnapproved:
		doc.File = FileUnapproved
	}
	return doc
}
