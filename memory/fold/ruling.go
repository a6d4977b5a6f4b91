package fold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// councilHears puts into the council's book what a person ruled after the session had closed. A person's word weighs
// most.
func (f *folding) councilHears(i int) {
	m := f.minutes
	e := &m.entries[i]
	h := m.handoff(i)
	if h.Status == council.ExecutionWithheld { // nothing was decided that could be ruled on
		return
	}
	var brief council.Brief
	if h.Brief != nil {
		brief = *h.Brief
	}
	switch p := e.Payload.(type) {
	case council.BriefAmended:
		if h.Status == council.ExecutionAwaitingApproval {
			f.reopen(e, p.Brief)
		}
		if objective := clip(p.Brief.Objective, maxTopic); objective != "" {
			f.wish(e, fmt.Sprintf("%s had it done otherwise: %s", person(p.By), objective),
				sentences(fmt.Sprintf("The brief%s was amended.", m.on()), labelled("Steps", strings.Join(p.Brief.Steps, "; "))))
		}
		f.briefRisks(e, p.Brief)
	case council.ExecutionApproved:
		f.closeExecution(e, "approved by "+person(p.By))
		f.criteria(e, brief)
		if note := clip(p.Note, maxTopic); note != "" {
			f.wish(e, note, fmt.Sprintf("%s said so on approving the execution%s.", person(p.By), m.on()))
		}
	case council.ExecutionRejected:
		f.closeExecution(e, "rejected by "+person(p.By))
		f.rejected(e, p, brief)
	case council.ExecutionFinished:
		f.closeExecution(e, "finished")
		f.finished(e, p, brief)
	}
}

// person is who ruled.
func person(by string) string {
	if by = clip(by, maxName); by != "" {
		return by
	}
	return "Somebody"
}

func (f *folding) wish(e *wire.Entry, what, detail string) int {
	return f.remember(said{
		entry: e, kind: memory.KindPreference, summary: what, detail: detail, like: exactly, confidence: shown, importance: 5,
	})
}

func (f *folding) rejected(e *wire.Entry, p council.ExecutionRejected, brief council.Brief) {
	detail := sentences(fmt.Sprintf("%s rejected the execution%s.", person(p.By), f.minutes.on()),
		labelled("The objective was", brief.Objective))
	switch {
	case strings.TrimSpace(p.Reason) != "":
		f.wish(e, p.Reason, detail)
	case f.minutes.topic != "":
		f.wish(e, fmt.Sprintf("%s does not want done what was decided%s.", person(p.By), f.minutes.on()), detail)
	}
}

func (f *folding) finished(e *wire.Entry, p council.ExecutionFinished, brief council.Brief) {
	objective := clip(brief.Objective, maxTopic)
	if objective == "" {
		return
	}
	came := "was carried out"
	if !p.Succeeded {
		came = "was tried and failed"
		f.lesson(e, "An execution failed.", sentences(labelled("Objective", objective), ended(plain(p.Note))), "")
	}
	f.remember(said{
		entry: e, kind: memory.KindOutcome, summary: fmt.Sprintf("“%s” %s.", objective, came), like: exactly,
		detail:     sentences(fmt.Sprintf("Reported by %s%s.", person(p.By), f.minutes.on()), ended(plain(p.Note))),
		confidence: shown, importance: 4,
	})
}

// loop is the index of the open matter that is this session's execution, or -1.
func (f *folding) loop() int {
	return slices.IndexFunc(f.book.Records, func(r memory.Record) bool {
		return slices.Contains(r.Tags, loopExecution) && slices.ContainsFunc(r.Evidence, func(e memory.Evidence) bool {
			return e.SessionID == f.minutes.id
		})
	})
}

func (f *folding) closeExecution(e *wire.Entry, because string) {
	if at := f.loop(); at >= 0 {
		f.resolve(&f.book.Records[at], e, because)
	}
}

// reopen makes an amended brief wait for approval again.
func (f *folding) reopen(e *wire.Entry, brief council.Brief) {
	if f.minutes.topic == "" {
		return
	}
	f.remember(said{
		entry: e, kind: memory.KindOpenLoop, summary: f.minutes.awaits(), detail: labelled("Objective", brief.Objective),
		like: oneOf, mark: loopExecution, afresh: true, confidence: shown, importance: 4,
	})
}
