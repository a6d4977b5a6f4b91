package render

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// summaryFile is leader-summary.md.
func (s *session) summaryFile() []byte {
	p := &page{}
	pl := s.Marked(*s.Summary).Payload.(council.SummaryWritten)
	s.reportHead(p, "Leader's summary")
	p.heading(2, "By "+s.speaker(s.Summary.Actor), s.Summary.Seq)
	p.quote(pl.SummaryMarkdown)
	p.heading(2, "Final resolution", 0)
	p.quote(pl.FinalResolution)
	s.writeSettled(p, *s.Summary, 2)
	p.heading(2, "Execution", 0)
	switch h := s.Handoff; {
	case !pl.RequiresExecution:
		p.block("Nothing is to be carried out.")
	case h.Held() != "":
		p.say("**Withheld:** %s", h.Held().Why())
		fallthrough
	default:
		s.writeBriefAsItStands(p, pl)
	}
	s.writeReceipt(p, 2)
	s.writeCostLine(p)
	return []byte(p.b.String())
}

// writeBriefAsItStands writes the brief that a summary gave, or the one that took its place since.
func (s *session) writeBriefAsItStands(p *page, given council.SummaryWritten) {
	h := s.Handoff
	if h.Brief == nil {
		return
	}
	if h.BriefSHA256 != given.BriefSHA256 {
		p.block("A person amended the brief after the session. This is the brief as it stands.")
	}
	writeBrief(p, *h.Brief, h.BriefSHA256)
}

// minorityFile is minority-report.md.
func (s *session) minorityFile() []byte {
	p := &page{}
	s.reportHead(p, "Minority report")
	p.block("These members did not vote with the side that prevailed in a vote, and wrote why.")
	for _, v := range s.splitVotes() {
		p.block(v)
	}
	for _, e := range s.Dissents {
		p.heading(2, s.speaker(e.Actor), e.Seq)
		p.quote(s.Marked(e).Payload.(council.DissentWritten).Dissent.Dissent)
	}
	return []byte(p.b.String())
}

// splitVotes says what was decided against the minority: the last resolution and the vote on the last draft.
func (s *session) splitVotes() []string {
	var out []string
	if m := s.deciding(); m != nil {
		out = append(out, verdict(*m.Vote, "the motion "+title(m.Title), "carried", "lost"))
	}
	if d := s.LastDraft(); d != nil && d.Vote != nil {
		out = append(out, verdict(*d.Vote, fmt.Sprintf("draft %d", d.Version), "approved", "not approved"))
	}
	return out
}

// deciding is the last motion that the last phase that voted carried, else the last that it lost, or nil. A vote without
// a quorum decides nothing.
func (s *session) deciding() *minutes.Motion {
	visit := func(m *minutes.Motion) string {
		before, _, _ := strings.Cut(string(m.ID), ".")
		return before
	}
	var deciding *minutes.Motion
	for _, m := range s.Motions {
		undoes := deciding == nil || deciding.Status == minutes.MotionLost || visit(m) != visit(deciding)
		if m.Status == minutes.MotionCarried || m.Status == minutes.MotionLost && undoes {
			deciding = m
		}
	}
	return deciding
}

// reportHead begins a report on the session.
func (s *session) reportHead(p *page, title string) {
	p.heading(1, title, 0)
	about := ""
	if topic := headline(s.Started.Topic.Text); topic != "" {
		about = " on “" + topic + "”"
	}
	id := hostile.Inline(string(s.Session))
	p.say("%s%s, session %s, opened on %s.", s.councilName(), about, id, day(s.Opened))
	if s.Rehearsed() {
		p.say("**%s**", rehearsalNote)
	}
}

// councilName is the council's name, to be put within Markdown.
func (s *session) councilName() string {
	if name := hostile.Inline(s.Started.Charter.CouncilName); name != "" {
		return name
	}
	return "Council"
}
