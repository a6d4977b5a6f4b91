package render

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/render/story"
	"github.com/council-engine/council/recorder/render/wording"
)

// summaryFile is leader-summary.md.
func (s *session) summaryFile() []byte {
	p := &page{}
	pl := s.cited.Marked(*s.Summary).Payload.(council.SummaryWritten)
	s.reportHead(p, "Leader's summary")
	p.heading(2, "By "+s.speaker(s.Summary.Actor), s.Summary.Seq)
	p.words(pl.SummaryMarkdown)
	p.heading(2, "Final resolution", 0)
	p.quote(pl.FinalResolution)
	s.writeSettled(p, *s.Summary, 2)
	p.heading(2, "Execution", 0)
	if pl.RequiresExecution {
		s.writeBriefAsItStands(p, pl)
	} else {
		p.block("Nothing is to be carried out.")
	}
	s.writeReceipt(p, 2)
	s.writeCostLine(p)
	return []byte(p.b.String())
}

// writeBriefAsItStands writes the brief that a summary gave, or the one that took its place since.
func (s *session) writeBriefAsItStands(p *page, given council.SummaryWritten) {
	brief, sha := s.Execution.Brief, s.Execution.BriefSHA256
	if sha == "" && given.ExecutionBrief != nil { // the session is not closed yet
		brief, sha = *given.ExecutionBrief, given.BriefSHA256
	}
	if sha != given.BriefSHA256 {
		p.block("A person amended the brief after the session. This is the brief as it stands.")
	}
	writeBrief(p, brief, sha)
}

// minorityFile is minority-report.md.
func (s *session) minorityFile() []byte {
	p := &page{}
	s.reportHead(p, "Minority report")
	p.block("These members were on the losing side of a vote and wrote why they disagree.")
	for _, v := range s.splitVotes() {
		p.block(v)
	}
	for _, e := range s.Dissents {
		p.heading(2, s.speaker(e.Actor), e.Seq)
		p.words(s.cited.Marked(e).Payload.(council.DissentWritten).Dissent.Dissent)
	}
	return []byte(p.b.String())
}

// splitVotes says what was decided against the minority: the last resolution and the vote on the last draft.
func (s *session) splitVotes() []string {
	var out []string
	if m := s.deciding(); m != nil {
		out = append(out, wording.Verdict(*m.Vote, "the motion "+title(m.Title), "carried", "lost"))
	}
	if d := s.LastDraft(); d != nil && d.Vote != nil {
		out = append(out, wording.Verdict(*d.Vote, fmt.Sprintf("draft %d", d.Version), "approved", "not approved"))
	}
	return out
}

// deciding is the motion that the last phase resolved, else the last it voted on, or nil.
func (s *session) deciding() *artifact.Motion {
	v := s.Visit()
	if v == nil {
		return nil
	}
	if m := s.Motion(v.Resolution); m != nil && m.Vote != nil {
		return m
	}
	for _, m := range slices.Backward(s.Motions) {
		if m.Vote != nil && m.Phase == v.Phase {
			return m
		}
	}
	return nil
}

// reportHead begins a report on the session.
func (s *session) reportHead(p *page, title string) {
	p.heading(1, title, 0)
	about := ""
	if topic := headline(s.Started.Topic.Text); topic != "" {
		about = " on “" + topic + "”"
	}
	id := hostile.Inline(string(s.Header.SessionID))
	p.say("%s%s, session %s, opened on %s.", s.councilName(), about, id, wording.Day(s.Opened))
	if s.Header.Rehearsal {
		p.say("> **%s**", story.RehearsalNote)
	}
}

// councilName is the council's name, to be put within Markdown.
func (s *session) councilName() string {
	if name := hostile.Inline(s.Started.Charter.CouncilName); name != "" {
		return name
	}
	return "Council"
}
