package render

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/wire"
)

// writeReminders says what members were told of earlier sessions when this one opened.
func (t *Transcript) writeReminders(p *page) {
	s := &t.session
	if len(s.Started.Memory) == 0 {
		return
	}
	p.heading(2, "What was remembered", s.Last().Seq)
	p.block("From earlier sessions, as it stood when this one was opened. Nobody has checked it since.")
	var rows [][]string
	common := s.Started.Reminder("")
	for _, r := range common.Records {
		rows = append(rows, []string{hostile.Inline(r.ID), kind(r.Kind), hostile.Inline(r.Date), cell(r.Summary, s.Last().Seq)})
	}
	p.table([]string{"Record", "Kind", "As of", "What it says"}, rows)
	if common.Left > 0 {
		p.say("There was no room for %d more of the council's memory.", common.Left)
	}
	var own []string
	for _, r := range s.Started.Memory {
		if r.Member == "" {
			continue
		}
		item := fmt.Sprintf("%s: %s", s.name(r.Member), plural.Things(len(r.Records), "record"))
		if r.Left > 0 {
			item += fmt.Sprintf("; there was no room for %d more", r.Left)
		}
		own = append(own, item)
	}
	if len(own) > 0 {
		p.block("From a memory of its own, where a phase lets members read theirs:")
		p.list(own)
	}
}

// kind is a kind of record as people read it.
func kind(k string) string { return hostile.Inline(strings.ReplaceAll(k, "_", " ")) }

// writeRecalled shows what a search of memory found for the topic.
func (t *Transcript) writeRecalled(p *page, e wire.Entry) {
	pl := e.Payload.(council.MemoryRecalled)
	p.heading(2, "Recalled from memory", e.Seq)
	p.say("Memory was searched for %s. What it found may be out of date or wrong: members were told that nobody has checked it.",
		quoted(pl.Query, 200))
	for _, hit := range pl.Hits {
		where := fmt.Sprintf("%s %s", hostile.Inline(hit.Kind), hostile.Inline(hit.ID))
		if hostile.Line(hit.Speaker) != "" {
			p.say("%s, %s, %s:", quoted(hit.Speaker, 80), hostile.Inline(hit.Date), where)
		} else {
			p.say("%s, %s:", hostile.Inline(hit.Date), where)
		}
		p.quote(hit.Text)
	}
}

// writeSettled says what became of records that the leader was reminded of.
func (s *session) writeSettled(p *page, e council.Event, level int) {
	summary := e.Payload.(council.SummaryWritten).Summary
	if len(summary.Settles) == 0 {
		return
	}
	p.heading(level, "Settled of what was remembered", e.Seq)
	counts := map[string]bool{}
	var rows [][]string
	for _, settled := range s.Started.Settled(e.Actor, summary) {
		counts[settled.Record] = true
		rows = append(rows, []string{
			hostile.Inline(settled.Record), cell(s.remembered(e.Actor, settled.Record), 1),
			hostile.Inline(strings.ToLower(string(settled.How))), orNone(cell(settled.Because, e.Seq)),
		})
	}
	p.table([]string{"Record", "It said", "Now", "Because"}, rows)
	var idle []string
	for _, settled := range summary.Settles {
		if !counts[settled.Record] && hostile.Line(settled.Record) != "" {
			idle = append(idle, quoted(settled.Record, 100))
		}
	}
	if len(idle) > 0 {
		p.say("**Named, but nothing that the leader was reminded of:** %s. It counts for nothing.", strings.Join(idle, ", "))
	}
}

// remembered is what a record said of which the leader was reminded.
func (s *session) remembered(leader council.MemberID, id string) string {
	for _, of := range []council.MemberID{"", leader} {
		for _, r := range s.Started.Reminder(of).Records {
			if r.ID == id {
				return r.Summary
			}
		}
	}
	return ""
}

// memoryPart is what session.json says of memory, or nil when the session was given none.
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
		m.Settled = s.Started.Settled(s.Summary.Actor, s.Summary.Payload.(council.SummaryWritten).Summary)
	}
	if m.Reminded == nil && m.Recalled == nil && m.Settled == nil {
		return nil
	}
	return &m
}
