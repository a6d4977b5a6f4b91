package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder/wire"
)

// sessionFile returns session.json.
func (s *session) sessionFile() SessionFile {
	f := SessionFile{
		Header:        s.header(),
		Outcome:       s.outcome(),
		Council:       s.Started.Charter.CouncilName,
		Topic:         s.Started.Topic.Text,
		Documents:     s.givenDocuments(),
		Skipped:       s.Started.Topic.Skipped,
		Cut:           s.Started.Topic.Cut,
		Hidden:        s.Started.Topic.Hidden,
		CutReplies:    s.CutReplies(),
		HiddenReplies: s.HiddenReplies(),
		CutLookups:    s.CutLookups(),
		HiddenLookups: s.HiddenLookups(),
		Lookups:       s.Minutes.Lookups(),
		Memory:        s.memoryPart(),
		OpenedAt:      wire.Stamp(s.Opened),
		LastEvent:     s.Last().Seq.ID(),
		Checkpoint:    s.checkpoint(),
		Members:       s.members(),
		Diversity:     s.Diversity(),
		Election:      s.Leader,
		EndedBy:       s.EndedBy(),
		Phases:        []minutes.Visit{},
		Motions:       []minutes.Motion{},
		Requires:      s.Handoff.HandedOff(),
		Approved:      s.Handoff.Approved(),
		OutputType:    s.Started.Charter.Output.Type,
		Documentation: s.documentation(),
		Execution:     s.execution(),
		Dissents:      []DissentRef{},
		Faults:        append([]minutes.Fault{}, s.Faults...),
		Suspensions:   append([]minutes.Suspension{}, s.Stops...),
		Usage:         s.Usage(),
		Erased:        s.Erased,
		Citations:     s.Minutes.Citations(),
		Receipt:       s.Receipt(),
	}
	if !s.Closed.IsZero() {
		f.ClosedAt = wire.Stamp(s.Closed)
	}
	if s.Leader != nil {
		f.Leader = s.Leader.Member
	}
	for _, v := range s.Visits {
		f.Phases = append(f.Phases, *v)
	}
	for _, m := range s.Motions {
		f.Motions = append(f.Motions, *m)
	}
	for _, e := range s.Dissents {
		f.Dissents = append(f.Dissents, DissentRef{Member: e.Actor, Event: e.Seq.ID()})
	}
	if s.Summary != nil {
		f.Final = s.Summary.FinalResolution
	}
	if s.Outcome != nil {
		f.Decided, f.Undecided = s.Outcome.Decided, s.Outcome.Undecided
		if n := len(f.Outcome.Resolutions); n > 0 {
			f.Winning = &f.Outcome.Resolutions[n-1]
		}
	}
	if f.OutputType == council.OutputDocumentation {
		approved := f.Documentation.Status == council.DocumentationApproved
		f.DocApproved = &approved
	}
	for _, file := range s.Files() {
		f.Artifacts = append(f.Artifacts, file.Name)
	}
	return f
}

func (s *session) outcome() Outcome {
	o := Outcome{Gist: s.Gist(), Resolutions: []minutes.Moved{}, Unmet: s.Minutes.Unmet(), Objection: s.Objection()}
	if s.Outcome != nil {
		for _, r := range s.Outcome.Resolutions {
			if m := s.Motion(r.Motion); m != nil {
				o.Resolutions = append(o.Resolutions, m.Moved)
			}
		}
	}
	return o
}

func (s *session) execution() Execution {
	h := s.Handoff
	x := Execution{Status: h.Status, Withheld: h.Held(), Why: h.Held().Why()}
	if h.HandedOff() {
		x.BriefSHA256 = h.BriefSHA256
	}
	return x
}

func (s *session) checkpoint() Checkpoint {
	stands := s.tree.Checkpoint(s.tree.Size())
	return Checkpoint{Origin: stands.Origin(), Size: stands.Size, Root: stands.Root}
}

func (s *session) givenDocuments() []GivenDocument {
	given := []GivenDocument{}
	for _, d := range s.Started.Topic.Documents {
		given = append(given, GivenDocument{Name: d.Name, SHA256: d.SHA256, Bytes: len(d.Text)})
	}
	return given
}

func (s *session) members() []Seat {
	seats := []Seat{}
	for _, id := range s.Started.Charter.Seats() {
		if m := s.Started.Charter.Member(id); m != nil {
			seats = append(seats, Seat{
				ID: id, Name: m.Name, Role: m.Role,
				Provider: m.Model.Provider, Model: m.Model.Model, Reported: s.Reported(id),
				StoodIn: s.StoodIn(id), PromptCut: s.PromptCut(id),
			})
		}
	}
	return seats
}

func (s *session) documentation() Documentation {
	doc := Documentation{Drafts: []DraftRecord{}}
	for _, d := range s.Drafts {
		name, sha256 := s.draftFile(d)
		doc.Drafts = append(doc.Drafts, DraftRecord{
			Version: d.Version, SHA256: d.SHA256, File: name, FileSHA256: sha256, Event: d.Seq.ID(), Vote: d.Vote,
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
	if doc.File != "" {
		text, _ := s.finalDocument(last) // which fails where the file is written
		doc.SHA256 = council.Digest(string(text))
	}
	return doc
}

// memoryPart returns the part of session.json on memory, or nil when the session was given none.
func (s *session) memoryPart() *Memory {
	m := Memory{}
	for _, r := range s.Started.Memory {
		part := Reminded{Member: r.Member, Records: []string{}, Left: r.Left}
		for _, record := range r.Records {
			part.Records = append(part.Records, record.ID)
		}
		m.Reminded = append(m.Reminded, part)
	}
	if s.Recalled != nil {
		p := s.Recalled.Payload.(council.MemoryRecalled)
		m.RecalledIn = s.Recalled.Seq.ID()
		for _, hit := range p.Hits {
			m.Recalled = append(m.Recalled, Recalled{ID: hit.ID, Kind: hit.Kind, Session: hit.Session, Date: hit.Date})
		}
	}
	if s.Summary != nil {
		m.Settled = s.Started.Settled(s.Summary.Event.Actor, s.Summary.Summary)
	}
	if m.Reminded == nil && m.Recalled == nil && m.Settled == nil {
		return nil
	}
	return &m
}
