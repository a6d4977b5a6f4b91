package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/safehtml"
	"github.com/council-engine/council/recorder/wire"
)

func (s *session) sessionFile() SessionFile {
	topic, charter := s.Started.Topic, s.Started.Charter
	f := SessionFile{Header: s.header(), Outcome: s.outcome(), Council: charter.CouncilName, Topic: topic.Text,
		Documents: s.givenDocuments(), Skipped: topic.Skipped, Cut: topic.Cut, Hidden: topic.Hidden,
		Withheld: s.Replies().Withheld, Lookups: s.Replies().Lookups(), Memory: s.memoryPart(),
		OpenedAt: wire.Stamp(s.Opened), LastEvent: s.Last().Seq.ID(), Checkpoint: s.checkpoint(), Members: s.members(),
		Diversity: s.Replies().Diversity(), Election: s.Leader, EndedBy: s.EndedBy(), Phases: listOf(s.Visits),
		Motions: listOf(s.Motions), Requires: s.Handoff.HandedOff(), Approved: s.Handoff.Approved(),
		OutputType: charter.Output.Type, Documentation: s.documentation(), Dissents: []DissentRef{},
		Execution: Execution{Status: s.Handoff.Status, Withheld: s.Handoff.Held(), Why: s.Handoff.Held().Why()},
		Faults:    listOf(s.Faults), Suspensions: listOf(s.Stops), Usage: s.Replies().Usage(), Erased: s.Erased,
		Citations: s.Minutes.Citations(), Receipt: s.Receipt()}
	if !s.Closed.IsZero() {
		f.ClosedAt = wire.Stamp(s.Closed)
	}
	if s.Leader != nil {
		f.Leader = s.Leader.Member
	}
	if s.Handoff.HandedOff() {
		f.Execution.BriefSHA256 = s.Handoff.BriefSHA256
	}
	for _, e := range s.Dissents {
		f.Dissents = append(f.Dissents, DissentRef{Member: e.Actor, Event: e.Seq.ID()})
	}
	if s.Outcome != nil {
		f.Final = strings.Join(s.Outcome.Decisions(), " ")
		f.Decided, f.Undecided = s.Outcome.Decided, s.Outcome.Undecided
		if n := len(f.Outcome.Resolutions); n > 0 {
			f.Winning = &f.Outcome.Resolutions[n-1]
		}
	}
	if f.OutputType == council.OutputDocumentation {
		approved := f.Documentation.Status == council.DocumentationApproved
		f.DocApproved = &approved
	}
	f.Artifacts = council.Map(s.Files(), func(of file) string { return of.Name })
	return f
}

func (s *session) outcome() Outcome {
	o := Outcome{Gist: s.Gist(), Resolutions: []minutes.Moved{}, Findings: []minutes.Moved{}, Leaning: s.Leaning(),
		Unmet: s.Minutes.Unmet(), Objection: s.Objection()}
	if s.Outcome != nil {
		for _, r := range s.Outcome.Resolutions {
			if m := s.Motion(r.Motion); m != nil {
				o.Resolutions = append(o.Resolutions, m.Moved)
			}
		}
		for _, m := range s.Findings() {
			o.Findings = append(o.Findings, m.Moved)
		}
	}
	return o
}

func (s *session) checkpoint() Checkpoint {
	stands := s.tree.Checkpoint(s.tree.Size)
	return Checkpoint{Origin: stands.Origin(), Size: stands.Size, Root: stands.Root, Head: s.Head}
}

func (s *session) givenDocuments() []GivenDocument {
	return listOf(council.Map(s.Started.Topic.Documents, func(d council.Document) GivenDocument {
		return GivenDocument{Name: d.Name, SHA256: d.SHA256, Bytes: len(d.Text)}
	}))
}

func (s *session) members() []Seat {
	seats, replies := []Seat{}, s.Replies()
	for _, id := range s.Started.Charter.Seats() {
		if m := s.Started.Charter.Member(id); m != nil {
			seats = append(seats, Seat{ID: id, Name: m.Name, Role: m.Role, Provider: m.Model.Provider, Model: m.Model.Model,
				Reported: replies.Reported[id], StoodIn: replies.StoodIn[id], PromptCut: replies.PromptCut[id]})
		}
	}
	return seats
}

func (s *session) documentation() Documentation {
	doc := Documentation{Drafts: []DraftRecord{}}
	for _, d := range s.Drafts {
		file := s.FileOf(d)
		doc.Drafts = append(doc.Drafts, DraftRecord{Version: d.Version, SHA256: d.SHA256, File: file.Name,
			FileSHA256: file.SHA256, Event: d.Seq.ID(), Vote: d.Vote})
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

// memoryPart returns the part of session.json on memory, or nil when the session had none.
func (s *session) memoryPart() *Memory {
	m := Memory{}
	for _, r := range s.Started.Memory {
		ids := council.Map(r.Records, func(record council.Remembered) string { return record.ID })
		m.Reminded = append(m.Reminded, Reminded{Member: r.Member, Records: listOf(ids), Left: r.Left})
	}
	if s.Recalled != nil {
		m.RecalledIn = s.Recalled.Seq.ID()
		for _, hit := range s.Recalled.Payload.(council.MemoryRecalled).Hits {
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

func (s *session) reviewFile(d *minutes.Draft) ReviewFile {
	f := ReviewFile{Header: s.header(), Version: d.Version, SHA256: d.SHA256, File: s.FileOf(d).Name, Vote: *d.Vote,
		Ballots: listOf(d.Ballots), Reviews: []minutes.Review{}, Blockers: listOf(s.Blockers(d))}
	for _, r := range d.Reviews {
		r.Blockers, r.Suggestions = listOf(r.Blockers), listOf(r.Suggestions)
		f.Reviews = append(f.Reviews, r)
	}
	f.Unfounded = s.Unfounded(slices.Concat([]string{d.Seq.ID()},
		council.Map(f.Ballots, func(b minutes.Ballot) string { return b.Event }),
		council.Map(f.Reviews, func(r minutes.Review) string { return r.Event }))...)
	return f
}

// blockersFile lists the open blockers of the last failed vote, and apart from them those of earlier votes.
func (s *session) blockersFile(last *minutes.Draft) BlockersFile {
	f := BlockersFile{
		Header: s.header(), Draft: last.DraftRef,
		Blockers: []minutes.RaisedBlocker{}, Suggestions: []Suggestion{}, Earlier: []minutes.RaisedBlocker{},
	}
	failed := 0
	for _, d := range s.Drafts {
		if d.Failed() {
			failed = d.Version
		}
	}
	for _, d := range s.Drafts {
		raised := s.Blockers(d)
		if d.Version != failed {
			f.Earlier = append(f.Earlier, raised...)
			continue
		}
		f.FailedIn, f.Vote, f.Blockers = failed, d.Vote, append(f.Blockers, raised...)
		for _, r := range d.Reviews {
			for _, wish := range r.Suggestions {
				f.Suggestions = append(f.Suggestions, Suggestion{Member: r.Member, Suggestion: wish})
			}
		}
	}
	return f
}

func (s *session) handoffFile() HandoffFile {
	h := s.Handoff
	topic, execution := s.Started.Topic.Text, s.Started.Charter.Execution
	f := HandoffFile{Header: s.header(), Council: s.Started.Charter.CouncilName, Topic: topic,
		ClosedAt: wire.Stamp(s.Closed), Checkpoint: s.checkpoint(), Leader: s.Outcome.Leader, Status: h.Status,
		ApprovalRequired: execution.RequireHumanApproval, Approved: h.Approved(), Withheld: h.Held(), Why: h.Held().Why(),
		Approval: s.Ruling(h.Approval), Rejection: s.Ruling(h.Rejection), Started: s.Ruling(h.Start),
		Finished: s.Ruling(h.Finish), Outcome: HandoffOutcome{topic, []HandoffResolution{}},
		FinalResolution: strings.Join(s.Outcome.Decisions(), " "), Decisions: []minutes.Motion{},
		Changes: []council.Change{}, Unmet: s.Unmet(), BriefSHA256: h.BriefSHA256,
		DefaultProfile: execution.DefaultExecutorProfile, Steps: []HandoffStep{}, Risks: []HandoffRisk{},
		Documents:     s.givenDocuments(),
		Documentation: HandoffDocumentation{Status: s.Outcome.Documentation}}
	for _, r := range s.Outcome.Resolutions {
		if m := s.Motion(r.Motion); m != nil {
			f.Outcome.Resolutions = append(f.Outcome.Resolutions, HandoffResolution{r, m.Event, m.DecidedIn})
		}
	}
	if h.Summarised != nil && h.Brief != nil {
		f.Changes = listOf(h.Brief.Since(*h.Summarised))
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
	b := cmp.Or(h.Brief, &council.Brief{}) // it may have been erased
	steps, risks, criteria := b.Lists()
	f.Brief = HandoffBrief{b.Objective, b.RecommendedExecutorProfile, listOf(steps), listOf(risks), listOf(criteria)}
	f.Criteria = listOf(b.AcceptanceCriteria)
	for i, step := range b.Steps {
		f.Steps = append(f.Steps, HandoffStep{fmt.Sprintf("s%d", i+1), step.Step, listOf(step.AcceptanceCriteria),
			s.askedFor(step.AskedIn, decided)})
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

// askedFor returns the events of the session that the brief names for a step, or else otherwise.
func (s *session) askedFor(events []string, otherwise []AskedFor) []AskedFor {
	var asked []AskedFor
	for _, e := range s.Events {
		if slices.Contains(events, e.Seq.ID()) {
			asked = append(asked, AskedFor{e.Seq.ID(), e.Actor})
		}
	}
	if asked == nil {
		return listOf(otherwise)
	}
	return asked
}

// listOf returns the list, or an empty one for nil, which would be null in JSON.
func listOf[T any](list []T) []T { return append([]T{}, list...) }

// ExportFile is a session in one JSON document: its files by their names, those in JSON as objects and those in
// Markdown as strings.
type ExportFile struct {
	Header
	Files map[string]any `json:"files"`
}

// JSONExport returns a session as an [ExportFile]. Errors are those of [Artifacts].
func JSONExport(entries []wire.Entry) ([]byte, error) {
	t, _ := NewTranscript(entries)
	files, err := t.Artifacts()
	if err != nil {
		return nil, err
	}
	out := ExportFile{t.session.header(), map[string]any{}}
	for name, content := range files {
		if out.Files[name] = json.RawMessage(content); strings.HasSuffix(name, ".md") {
			out.Files[name] = string(content)
		}
	}
	return wire.IndentedJSON(out)
}

// FullMinutes returns the minutes of a session, with the document that it ended with behind them. Errors are those of
// [Artifacts].
func FullMinutes(entries []wire.Entry) ([]byte, error) {
	_, text, document, err := tellWhole(entries)
	if err != nil {
		return nil, err
	}
	if document != "" {
		text = append(text, "\n---\n\n"+document...)
	}
	return text, nil
}

// HTMLPage returns a session as one page of HTML that needs nothing beside it: the outcome, the votes, the dissents and
// the document. Errors are those of [Artifacts].
func HTMLPage(entries []wire.Entry) ([]byte, error) {
	t, _, document, err := tellWhole(entries)
	if err != nil {
		return nil, err
	}
	title := cmp.Or(firstLine(t.Started.Topic.Text), t.Started.Charter.CouncilName, "Council")
	return safehtml.Page(title, t.write("page"), document), nil
}

// DecisionRecord returns a session as an architectural decision record in the form of MADR, its title as plain text,
// and the sessions whose decisions it replaces: the one that it reopens, and those of remembered decisions that its
// resolutions name. Errors are those of [Artifacts].
func DecisionRecord(entries []wire.Entry) (text []byte, title string, replaces []council.SessionID, err error) {
	t, _, _, err := tellWhole(entries)
	if err != nil {
		return nil, "", nil, err
	}
	var named []string
	if t.Outcome != nil {
		for _, r := range t.Outcome.Resolutions {
			if moved := t.Motion(r.Motion); moved != nil {
				named = append(named, council.RecordsReplaced(moved.Title, moved.Text, moved.Decision)...)
			}
		}
		if again := t.Started.Topic.Reopens; again != nil && t.Outcome.Decided {
			replaces = append(replaces, again.Session)
		}
	}
	for _, of := range t.Started.Memory {
		for _, r := range of.Records {
			if slices.Contains(named, r.ID) && r.Session != "" {
				replaces = append(replaces, r.Session)
			}
		}
	}
	return []byte(t.write("adr")), firstLine(t.Started.Topic.Text), replaces, nil
}

// tellWhole returns the telling of a whole log, its transcript, and the introduced last document, or "".
func tellWhole(entries []wire.Entry) (t *telling, text []byte, document string, err error) {
	if len(entries) == 0 {
		return nil, nil, "", ErrEmpty
	}
	all, text := NewTranscript(entries)
	s := &all.session
	t = s.telling(s.Events[0])
	if d := s.FinalDraft(); d != nil && !d.Erased {
		words, err := s.document(d)
		if err != nil {
			return nil, nil, "", err
		}
		document = t.write("document introduced") + "\n" + string(words)
	}
	return t, text, document, nil
}
