package render

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// writeExecution records what people ruled after the session was closed.
func (t *Transcript) writeExecution(p *page, e wire.Entry) {
	t.enter(p, sectionAfter, "")
	on := day(e.Time)
	switch pl := e.Payload.(type) {
	case council.BriefAmended:
		p.heading(3, "Execution brief amended", e.Seq)
		p.say("%s replaced the brief on %s. Approvals of the earlier brief are void.", hostile.Inline(pl.By), on)
		writeBrief(p, pl.Brief, pl.BriefSHA256)
	case council.ExecutionApproved:
		p.heading(3, "Execution approved", e.Seq)
		did := "approved"
		if pl.InAdvance {
			did = "approved in advance, before it could be read,"
		}
		p.block(t.ruled(pl.By, did, on, pl.BriefSHA256))
		note(p, pl.Note)
	case council.ExecutionRejected:
		p.heading(3, "Execution rejected", e.Seq)
		p.block(t.ruled(pl.By, "rejected", on, pl.BriefSHA256))
		note(p, pl.Reason)
	case council.ExecutionStarted:
		p.heading(3, "Execution started", e.Seq)
		p.block(t.ruled(pl.By, "began to carry out", on, pl.BriefSHA256))
	case council.ExecutionFinished:
		result := "failed"
		if pl.Succeeded {
			result = "succeeded"
		}
		p.heading(3, "Execution "+result, e.Seq)
		p.say("Reported by %s on %s.", hostile.Inline(pl.By), on)
		note(p, pl.Note)
	}
}

// ruled says who did what to which brief, and when the ruling is void because the brief is another by now.
func (t *Transcript) ruled(by, did, on, sha string) string {
	text := fmt.Sprintf("%s %s the brief with SHA-256 `%s` on %s.", hostile.Inline(by), did, digest(sha), on)
	if sha != t.session.Handoff.BriefSHA256 {
		text += " This is not the brief as it stands, so the ruling is void."
	}
	return text
}

func note(p *page, s string) {
	if hostile.Line(s) != "" {
		p.quote(s)
	}
}
