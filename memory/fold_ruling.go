package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// markRejection is the tag of a rejection of what was decided.
const markRejection = "rejection"

// amended, approved, rejected and finished fold rulings of persons into the council's book, where h is the execution
// after the ruling. A person's word weighs most.
func (f *folding) amended(e *wire.Entry, p council.BriefAmended, h council.Handoff) {
	if h.Status == council.ExecutionAwaitingApproval {
		f.awaits(e, p.Brief)
	} else {
		f.restore(e, h.Executes)
	}
	if objective := clip(p.Brief.Objective, maxTopic); objective != "" {
		steps, _, _ := p.Brief.Told()
		f.wish(e, fmt.Sprintf("%s had it done otherwise: %s", person(p.By), objective),
			sentences(fmt.Sprintf("The brief%s was amended.", f.minutes.on()),
				labelled("Steps", strings.Join(steps, "; "))))
	}
	f.briefRisks(e, &p.Brief)
}

func (f *folding) approved(e *wire.Entry, p council.ExecutionApproved, h council.Handoff) {
	f.closeExecution(e, "approved by "+person(p.By))
	f.restore(e, h.Executes)
	f.criteria(e, *cmp.Or(h.Brief, &council.Brief{}))
	if note := clip(p.Note, maxTopic); note != "" {
		f.wish(e, note, fmt.Sprintf("%s said so on approving the execution%s.", person(p.By), f.minutes.on()))
	}
}

// person returns the name of a person, or Somebody.
func person(by string) string { return cmp.Or(clip(by, maxName), "Somebody") }

func (f *folding) wish(e *wire.Entry, what, detail string) {
	f.remember(fact(e, KindPreference, 5, what, detail))
}

func (f *folding) rejected(e *wire.Entry, p council.ExecutionRejected, h council.Handoff) {
	f.closeExecution(e, "rejected by "+person(p.By))
	f.withdraw(e, h.Executes, "rejected by "+person(p.By))
	if f.minutes.topic == "" {
		return
	}
	s := fact(e, KindOutcome, 4, fmt.Sprintf("%s rejected what was decided%s.", person(p.By), f.minutes.on()),
		sentences(labelled("The objective was", cmp.Or(h.Brief, &council.Brief{}).Objective),
			labelled("The reason", p.Reason)))
	s.mark, s.afresh = markRejection, true
	f.remember(s)
}

// decisions returns the indexes of the decisions that a brief carries out and no later session decided again.
func (f *folding) decisions(executes []council.MotionID) []int {
	var all []int
	for _, e := range f.minutes.entries {
		p, ok := e.Payload.(council.MotionDecided)
		if !ok || !slices.Contains(executes, p.Motion) {
			continue
		}
		for i, r := range f.book.Records {
			at := slices.IndexFunc(r.Evidence, func(at Evidence) bool {
				return at.SessionID == f.minutes.id && at.EventID == e.Seq.ID()
			})
			if r.Kind == KindDecision && at >= 0 && !slices.ContainsFunc(r.Evidence[at:], func(at Evidence) bool {
				return at.SessionID != f.minutes.id && !personal(at)
			}) {
				all = append(all, i)
			}
		}
	}
	return all
}

// withdraw resolves the decisions that a rejected brief carries out, and the constraints and preferences that only the
// brief and rulings on it bear out.
func (f *folding) withdraw(e *wire.Entry, executes []council.MotionID, because string) {
	for _, i := range f.decisions(executes) {
		f.resolve(&f.book.Records[i], e, because)
	}
	other := func(at Evidence) bool {
		return at.SessionID != f.minutes.id || !slices.ContainsFunc(f.minutes.entries, func(e wire.Entry) bool {
			_, summary := e.Payload.(council.SummaryWritten)
			return e.Seq.ID() == at.EventID && (summary || isRuling(e.Payload))
		})
	}
	for i := range f.book.Records {
		r := &f.book.Records[i]
		if (r.Kind == KindConstraint || r.Kind == KindPreference) && !slices.ContainsFunc(r.Evidence, other) {
			f.resolve(r, e, because)
		}
	}
}

// restore makes the decisions of a brief active that its rejection resolved, because it is approved after all.
func (f *folding) restore(e *wire.Entry, executes []council.MotionID) {
	decisions := f.decisions(executes)
	for i := range f.book.Records {
		switch r := &f.book.Records[i]; {
		case r.marked(markRejection) && f.inSession(r) > 0:
			f.resolve(r, e, "approved after all")
		case slices.Contains(decisions, i) && r.Status == StatusResolved && f.lastRejected(r):
			r.bearOut(f.evidence(e, "", ""), when(e))
			f.revive(r)
		}
	}
}

func (f *folding) finished(e *wire.Entry, p council.ExecutionFinished, h council.Handoff) {
	f.closeExecution(e, "finished")
	objective := clip(cmp.Or(h.Brief, &council.Brief{}).Objective, maxTopic)
	if objective == "" {
		return
	}
	came := "was carried out"
	if !p.Succeeded {
		came = "was tried and failed"
		f.lesson(e, "An execution failed.", sentences(labelled("Objective", objective), ended(plainText(p.Note))))
	}
	f.remember(fact(e, KindOutcome, 4, fmt.Sprintf("“%s” %s.", objective, came),
		sentences(fmt.Sprintf("Reported by %s%s.", person(p.By), f.minutes.on()), ended(plainText(p.Note)))))
}

// closeExecution resolves the open matter of this session's execution.
func (f *folding) closeExecution(e *wire.Entry, because string) {
	at := slices.IndexFunc(f.book.Records, func(r Record) bool {
		return r.marked(loopExecution) && slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
			return e.SessionID == f.minutes.id
		})
	})
	if at >= 0 {
		f.resolve(&f.book.Records[at], e, because)
	}
}

// lastRejected reports whether the newest evidence of a record is the rejection of this session's brief.
func (f *folding) lastRejected(r *Record) bool {
	last := r.Evidence[len(r.Evidence)-1]
	return last.SessionID == f.minutes.id && slices.ContainsFunc(f.minutes.entries, func(e wire.Entry) bool {
		return e.Seq.ID() == last.EventID && e.Type() == council.TypeOf[council.ExecutionRejected]()
	})
}

// FoldChange returns the book with a person's change at the given time, and the records that left it by its bounds, in
// order. A record replaces the one with its id, or comes last, and supersedes records of the book that it names.
//
// Nothing is filled in: the records must be whole, see [CheckRecord]. With an [ErrBadRecord] the book is as it was.
func FoldChange(b Book, c Change, at time.Time) (after Book, left []Record, err error) {
	if c.Member != b.Member {
		return b, nil, fmt.Errorf("%w: the change is to the book of %s, not of %s", ErrBadRecord,
			cmp.Or(c.Member, "the council"), cmp.Or(b.Member, "the council"))
	}
	put := map[string]bool{}
	for _, r := range c.Put {
		if err := CheckRecord(r); err != nil {
			return b, nil, err
		}
		if put[r.ID] {
			return b, nil, fmt.Errorf("%w: %s stands in the change twice", ErrBadRecord, r.ID)
		}
		put[r.ID] = true
	}
	f := beginFold(b, &reading{})
	for _, r := range c.Put {
		if i := f.index(r.ID); i >= 0 {
			f.book.Records[i] = r.Clone()
		} else {
			f.book.Records = append(f.book.Records, r.Clone())
		}
	}
	at = Precise(at)
	for _, r := range c.Put {
		for _, id := range r.Supersedes {
			if i := f.index(id); i >= 0 && f.book.Records[i].Status != StatusSuperseded {
				old := &f.book.Records[i]
				old.Status, old.ResolvedAt = StatusSuperseded, nil
				old.touch(at)
			}
		}
	}
	f.drop(c.Drop, at)
	f.expire(at)
	f.bound()
	return f.book, f.left, nil
}

// drop removes forgotten records. A record that only a removed one superseded becomes active.
func (f *folding) drop(ids []string, at time.Time) {
	var freed []string
	f.book.Records = slices.DeleteFunc(f.book.Records, func(r Record) bool {
		gone := slices.Contains(ids, r.ID)
		if gone {
			freed = append(freed, r.Supersedes...)
		}
		return gone
	})
	for _, id := range freed {
		i := f.index(id)
		heir := slices.ContainsFunc(f.book.Records, func(r Record) bool { return slices.Contains(r.Supersedes, id) })
		if i >= 0 && !heir && f.book.Records[i].Status == StatusSuperseded {
			f.book.Records[i].Status = StatusActive
			f.book.Records[i].touch(at)
		}
	}
}
