package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/wire"
)

// title begins the transcript. It needs the first entry only, whatever is left of it.
func (t *Transcript) title(p *page) {
	s := &t.session
	title := s.councilName()
	if about := headline(s.Started.Topic.Text); about != "" {
		title += ": " + about
	}
	p.heading(1, title, 0)
	p.say("Minutes of session %s, opened on %s.", hostile.Inline(string(s.Session)), day(s.Opened))
	if s.Rehearsed() {
		p.say("**%s** Read these minutes as a trial of the procedure, not as advice.", rehearsalNote)
	}
	p.block("What members wrote stands in quotations, between “ ”, or in a table, in the row of whoever wrote it. All else is " +
		"the recorder's: no result stands in a quotation. A mark such as e12 names the event of the record that can be " +
		"cited." + s.citedNote())
}

// headline is the first line of a topic, for a title.
func headline(topic string) string {
	for line := range strings.Lines(topic) {
		if line = strings.TrimLeft(hostile.Line(line), "# "); line != "" {
			return hostile.Inline(clip(line, 100))
		}
	}
	return ""
}

// maxTopic is the length in runes beyond which the transcript shows the beginning of a topic only.
const maxTopic = 8000

func (t *Transcript) writeStart(p *page) {
	s := &t.session
	c := s.Started.Charter
	p.heading(2, "The question", s.Last().Seq)
	topic := s.Started.Topic.Text
	p.quote(clip(topic, maxTopic))
	if short := clip(topic, maxTopic); short != topic {
		p.say("This is the beginning of a question of %s. The whole is in %s.", size(len(topic)), s.Last().Seq.ID())
	}
	p.heading(2, "The council", 0)
	if purpose := hostile.Inline(c.Purpose); purpose != "" {
		p.say("Purpose: %s", purpose)
	}
	var rows [][]string
	for i, id := range c.Seats() {
		m := c.Member(id)
		if m == nil {
			continue
		}
		model := hostile.Inline(m.Model.Provider)
		if m.Model.Model != "" && m.Model.Model != m.Model.Provider {
			model += ", " + hostile.Inline(m.Model.Model)
		}
		if m.Model.Command != nil {
			model += " (a program of its own: which tools it uses, what it costs and whether it remembers is unknown)"
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), s.name(id), hostile.Inline(m.Role), model})
	}
	p.table([]string{">Seat", "Member", "Role", "Model"}, rows)
	p.block(agenda(&c))
	if docs := s.Started.Topic.Documents; len(docs) > 0 {
		p.heading(2, "Documents given", 0)
		rows = nil
		for _, d := range docs {
			rows = append(rows, []string{hostile.Inline(d.Name), size(len(d.Text)), shortDigest(d.SHA256)})
		}
		p.table([]string{"Document", ">Size", "SHA-256"}, rows)
	}
	for _, table := range topicTables(s.Started.Topic) {
		p.block(table.what)
		p.table(table.heads, table.rows)
	}
	t.writeReminders(p)
}

// agenda says what the charter lets the council do.
func agenda(c *council.Charter) string {
	var phases []string
	for _, ph := range c.Phases {
		phases = append(phases, hostile.Inline(string(ph.ID)))
	}
	text := "Phases: " + strings.Join(phases, ", ") + "."
	if c.Output.Type == council.OutputDocumentation {
		text += fmt.Sprintf(" The council was asked for a document, with at most %s.",
			plural.Things(c.DocumentationReview.MaxRevisionRounds, "revision"))
	}
	return text
}

func (t *Transcript) writeOpening(p *page, e wire.Entry) {
	s := &t.session
	switch pl := e.Payload.(type) {
	case council.PositionSealed:
		t.enterFor(p, council.AskPosition)
	case council.LeaderBallotCast:
		t.enterFor(p, council.AskNominate)
	case council.PositionsOpened:
		t.enterFor(p, council.AskPosition)
		for _, h := range s.heard() {
			t.writePosition(p, h)
		}
	case council.LeaderElected:
		t.enterFor(p, council.AskNominate)
		t.writeElection(p, pl)
	case council.LeaderSucceeded:
		t.heading(p, s.name(pl.To)+" answers as leader", e.Seq)
		p.say("%s could not answer as leader. %s is next in the ranking of the election, and answers this question.", s.name(pl.From), s.name(pl.To))
	}
}

func (t *Transcript) writePosition(p *page, e council.Event) {
	s := &t.session
	switch pl := e.Payload.(type) {
	case council.PositionSealed:
		p.heading(3, fmt.Sprintf("%s, %.0f %% confident", s.speaker(e.Actor), pl.Confidence*100), e.Seq)
		p.quote(pl.Position.Position)
		if hostile.Line(pl.Stance) != "" {
			p.say("In short: %s", quoted(pl.Stance, maxCell))
		}
		if known := inlines(pl.OnlyIKnow); len(known) > 0 {
			p.heading(4, "What only "+s.name(e.Actor)+" knows", e.Seq)
			p.quoteList(pl.OnlyIKnow)
		}
	case council.MemberFaulted:
		p.heading(3, s.speaker(e.Actor)+" gave no position", e.Seq)
		p.block(s.faulted(e.Actor, pl))
	}
}

func (t *Transcript) writeElection(p *page, el council.LeaderElected) {
	s := &t.session
	var rows [][]string
	for _, h := range s.heard() {
		vote, why := "", ""
		switch pl := h.Payload.(type) {
		case council.LeaderBallotCast:
			vote, why = s.name(pl.CandidateID), cell(pl.Rationale, h.Seq)
		case council.MemberFaulted:
			vote, why = string(pl.Standing), "*"+faultWords(pl.Fault)+"*"
		}
		rows = append(rows, []string{s.name(h.Actor), vote, why, h.Seq.ID()})
	}
	p.table([]string{"Member", "Votes for", "Reason", "Event"}, rows)
	var counts, tied []string
	for _, v := range el.Votes {
		counts = append(counts, fmt.Sprintf("%s %d", s.name(v.Candidate), v.Votes))
		if v.Votes == el.Votes[0].Votes {
			tied = append(tied, s.name(v.Candidate))
		}
	}
	text := fmt.Sprintf("**%s leads.**", s.name(el.Leader))
	if len(counts) > 0 {
		text += " Votes: " + strings.Join(counts, ", ") + "."
	} else {
		text += " No valid vote was cast."
	}
	switch {
	case el.Tie && len(tied) > 1:
		text += " It was a tie between " + listed(tied) + "; the lot decided."
	case el.Tie:
		text += " It was a tie; the lot decided."
	}
	if n := el.Invalid + el.Absent; n > 0 {
		text += fmt.Sprintf(" %d INVALID, %d ABSENT: they count for nobody.", el.Invalid, el.Absent)
	}
	p.say("%s (%s)", text, s.Last().Seq.ID())
}

// listed joins names as a sentence does.
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
