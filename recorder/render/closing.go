package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/wire"
)

func (t *Transcript) writeSummary(p *page, e wire.Entry) {
	s := &t.session
	t.enterFor(p, council.AskSummary)
	pl := e.Payload.(council.SummaryWritten)
	p.heading(3, s.speaker(e.Actor), e.Seq)
	p.quote(pl.SummaryMarkdown)
	p.heading(3, "Final resolution, in the leader's words", e.Seq)
	p.quote(pl.FinalResolution)
	s.writeSettled(p, e.Event, 3)
	p.heading(3, "Execution", e.Seq)
	if !pl.RequiresExecution {
		p.block("The leader sees nothing to be carried out.")
		return
	}
	p.block("The leader wants this to be carried out. Whether it is follows from what the council decided: see the outcome.")
	if pl.ExecutionBrief != nil {
		writeBrief(p, *pl.ExecutionBrief, pl.BriefSHA256)
	}
}

// writeBrief writes an execution brief below a heading of its own.
func writeBrief(p *page, b council.Brief, sha string) {
	parts := []string{"Objective: " + hostile.Inline(b.Objective)}
	for _, part := range []struct {
		name  string
		items []string
	}{{"Steps", b.Steps}, {"Risks", b.Risks}, {"Acceptance criteria", b.AcceptanceCriteria}} {
		items := inlines(part.items)
		if len(items) == 0 {
			continue
		}
		for i := range items {
			mark := "- "
			if part.name == "Steps" {
				mark = strconv.Itoa(i+1) + ". "
			}
			items[i] = mark + items[i]
		}
		parts = append(parts, part.name+":", strings.Join(items, "\n"))
	}
	if profile := hostile.Inline(b.RecommendedExecutorProfile); profile != "" {
		parts = append(parts, "Recommended executor: "+profile)
	}
	p.setApart(strings.Join(parts, "\n\n"))
	p.say("SHA-256 of the brief: `%s`", digest(sha))
}

// digest is a SHA-256 for a code span; what is none is not shown as one.
func digest(sha string) string {
	for _, r := range sha {
		if !strings.ContainsRune("0123456789abcdef", r) {
			return "unreadable"
		}
	}
	return sha
}

func (t *Transcript) writeDissent(p *page, e wire.Entry) {
	s := &t.session
	t.enterFor(p, council.AskDissent)
	pl := e.Payload.(council.DissentWritten)
	if hostile.Line(pl.Dissent.Dissent) == "" {
		p.heading(3, s.speaker(e.Actor)+" writes no dissent", e.Seq)
		p.block("It was offered to this member, who did not vote with the side that prevailed.")
		return
	}
	p.heading(3, s.speaker(e.Actor), e.Seq)
	p.quote(pl.Dissent.Dissent)
}

func (t *Transcript) writeEnd(p *page, e wire.Entry) {
	s := &t.session
	o := s.Outcome
	t.enter(p, "Outcome · "+e.Seq.ID(), "")
	verb := "was completed"
	if o.Ended == council.SessionCutShort {
		verb = "was adjourned"
	}
	p.say("The session %s on %s, %s after it was opened.", verb, day(e.Time), lasted(s.Closed.Sub(s.Opened)))
	var items []string
	if o.Resolution != nil {
		r := o.Resolution
		items = append(items, fmt.Sprintf("**Decided:** %s, with %d YES and %d NO: %s",
			title(r.Title), r.Yes, r.No, quoted(r.Decision, maxCell)))
	} else {
		items = append(items, "**Not decided.** "+s.undecided())
	}
	if line := s.documentLine(); line != "" {
		items = append(items, line)
	}
	items = append(items, s.executionLine())
	if n := len(s.Dissents); n > 0 {
		items = append(items, fmt.Sprintf("**Dissent:** %s, in [minority-report.md](minority-report.md).",
			plural.Things(n, "member")))
	}
	p.list(items)
	s.writeReceipt(p, 3)
	t.writeUnfounded(p)
	p.heading(3, "What it cost", 0)
	t.writeCost(p)
	p.heading(3, "Files", 0)
	p.list(s.fileList())
}

// undecided says why the session has no resolution.
func (s *session) undecided() string {
	for _, m := range s.Motions {
		if m.Status == minutes.MotionCarried {
			return "The last phase that voted carried no motion."
		}
	}
	return "No motion was carried."
}

func (s *session) documentLine() string {
	if d := s.FinalDraft(); d != nil && d.Erased {
		return s.erasedLine()
	}
	switch s.Outcome.Documentation {
	case council.DocumentationApproved:
		return "**Document approved:** [documentation.md](documentation.md)" + s.draftNamed() + "."
	case council.DocumentationUnapproved:
		return "**Document not approved:** [documentation.unapproved.md](documentation.unapproved.md)" + s.draftNamed() +
			"; what stood in the way is in [documentation.unresolved-blockers.json](documentation.unresolved-blockers.json)."
	case council.DocumentationMissing:
		return "**No document.** One was asked for and none was drafted."
	}
	return ""
}

// erasedLine is the line on a document whose words were forgotten.
func (s *session) erasedLine() string {
	verdict := "**Document not approved, and its words forgotten:** there is no file of it" + s.draftNamed() + "."
	if s.Outcome.Documentation == council.DocumentationApproved {
		verdict = "**Document approved, and its words forgotten since:** there is no file of it" + s.draftNamed() + "."
	}
	return verdict
}

func (s *session) draftNamed() string {
	if s.Outcome.Draft == nil {
		return ""
	}
	return fmt.Sprintf(", draft %d, SHA-256 `%s`", s.Outcome.Draft.Version, digest(s.Outcome.Draft.SHA256))
}

func (s *session) executionLine() string {
	const file = "[execution-handoff.json](execution-handoff.json)"
	var line string
	switch h := s.Handoff; h.Status {
	case council.ExecutionNotRequired:
		return "**Execution:** none is required."
	case council.ExecutionWithheld:
		return "**Execution withheld:** " + h.Withheld.Why()
	case council.ExecutionCleared:
		line = "**Execution:** the charter asks for no approval; " + file + " is cleared."
	default:
		line = "**Execution:** waits for a person's approval of " + file + "."
	}
	if n := len(s.Unanswered()); n > 0 {
		line += " The draft leaves " + plural.Things(n, "critical blocker") + " unanswered."
	}
	var carriesOut []string
	for _, id := range s.Handoff.Executes {
		carriesOut = append(carriesOut, s.motionTitle(id))
	}
	if len(carriesOut) > 0 {
		line += " It carries out " + strings.Join(carriesOut, ", ") + "."
	}
	return strings.TrimSpace(line + " " + s.Handoff.Withheld.Why())
}
