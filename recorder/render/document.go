package render

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

func (t *Transcript) writeDocument(p *page, e wire.Entry) {
	s := &t.session
	t.enterFor(p, council.AskDraft)
	switch pl := e.Payload.(type) {
	case council.DraftWritten:
		d := s.LastDraft()
		p.heading(3, fmt.Sprintf("Draft %d by %s", d.Version, s.speaker(e.Actor)), e.Seq)
		if d.Erased {
			p.say("What it said was forgotten, so there is no file of it. Its SHA-256 was `%s`.", digest(d.SHA256))
			t.writeAnswers(p, pl)
			return
		}
		name, sha256 := s.draftFile(d)
		p.say("[%s](%s), %s, SHA-256 `%s`.", name, name, size(len(d.Markdown)), digest(d.SHA256))
		if s.markdown(d) != d.Markdown {
			p.say("It holds HTML, images or links that the file shows as text. So the SHA-256 of the file is another, `%s`; the words "+
				"as they were voted on are in %s.", sha256, e.Seq.ID())
		}
		if parts := sections(d.Markdown); len(parts) > 0 {
			p.say("Sections: %s.", strings.Join(parts, ", "))
		}
		p.block("It begins:")
		p.quote(clip(opening(pl.Markdown), maxExtract))
		t.writeAnswers(p, pl)
	case council.DraftDecided:
		p.heading(3, fmt.Sprintf("Vote on draft %d", pl.Version), e.Seq)
		p.say("The ballots name the SHA-256 `%s`.", digest(pl.SHA256))
		t.writeBallots(p)
		p.block(verdict(pl.Decision, fmt.Sprintf("draft %d", pl.Version), "approved", "not approved"))
	case council.ReviewGiven:
		t.writeReview(p, e, pl)
	}
}

// maxExtract is the length in runes of the part of a draft that the transcript shows.
const maxExtract = 600

// writeAnswers shows how a draft answers the blockers of the vote before it.
func (t *Transcript) writeAnswers(p *page, d council.DraftWritten) {
	var rows [][]string
	for _, r := range d.Responses {
		rows = append(rows, []string{
			hostile.Inline(r.BlockerID), hostile.Inline(string(r.Answer)), orNone(cell(r.Note, t.session.Last().Seq)),
		})
	}
	if len(rows) > 0 {
		p.heading(4, "How it answers the blockers", t.session.Last().Seq)
		p.table([]string{"Blocker", "Answer", "Note"}, rows)
	}
}

func (t *Transcript) writeReview(p *page, e wire.Entry, r council.ReviewGiven) {
	s := &t.session
	p.heading(3, fmt.Sprintf("%s on draft %d", s.speaker(e.Actor), r.Version), e.Seq)
	if len(r.CriticalBlockers) == 0 {
		p.block("This member names no blocker.")
	}
	for _, b := range r.CriticalBlockers {
		p.say("**Blocker %s**", hostile.Inline(b.ID))
		var said []string
		for _, part := range [][2]string{
			{"Severity", b.Severity}, {"Section", b.Section}, {"Problem", b.Problem}, {"Impact", b.Impact},
			{"Required change", b.RequiredChange},
		} {
			if hostile.Line(part[1]) != "" {
				said = append(said, part[0]+": "+part[1])
			}
		}
		p.quoteList(said)
	}
	if len(inlines(r.SuggestedChanges)) > 0 {
		p.block("**Suggestions**")
		p.quoteList(r.SuggestedChanges)
	}
}

// sections lists the headings of a document, for orientation: those that begin with # outside code. Each is Markdown on one
// line, between quotation marks.
func sections(markdown string) []string {
	var out []string
	code := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			code = !code
		}
		words, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if words = hostile.Line(words); ok && !code && line[0] == '#' && words != "" {
			out = append(out, quoted(words, 80))
		}
		if len(out) == 30 {
			return append(out, "…")
		}
	}
	return out
}

// opening is a document from its first line that is not a heading.
func opening(markdown string) string {
	rest := strings.TrimLeft(markdown, "\r\n\t ")
	for strings.HasPrefix(rest, "#") {
		_, after, _ := strings.Cut(rest, "\n")
		rest = strings.TrimLeft(after, "\r\n\t ")
	}
	if rest == "" {
		return markdown
	}
	return rest
}
