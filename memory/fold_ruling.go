package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// markRejection is the tag of a rejection of what was decided.
const markRejection = "rejection"

// amended, approved, rejected and finished put into the council's book what a person ruled after the session had
// closed, where h is how far the execution has come with it. A person's word weighs most.
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
	f.criteria(e, briefOf(h))
	if note := clip(p.Note, maxTopic); note != "" {
		f.wish(e, note, fmt.Sprintf("%s said so on approving the execution%s.", person(p.By), f.minutes.on()))
	}
}

// briefOf returns the brief of a handoff, or an empty one.
func briefOf(h council.Handoff) council.Brief {
	if h.Brief == nil {
		return council.Brief{}
	}
	return *h.Brief
}

// person returns who ruled.
func person(by string) string {
	if by = clip(by, maxName); by != "" {
		return by
	}
	return "Somebody"
}

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
		sentences(labelled("The objective was", briefOf(h).Objective), labelled("The reason", p.Reason)))
	s.mark, s.afresh = markRejection, true
	f.remember(s)
}

// decisions returns the indexes of the records of what a brief carries out and no later session decided again.
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

// withdraw settles what a brief left that a person rejects: the decisions that it carries out, and the constraints and
// preferences that nothing bears out but the brief and rulings on it.
func (f *folding) withdraw(e *wire.Entry, executes []council.MotionID, because string) {
	for _, i := range f.decisions(executes) {
		f.resolve(&f.book.Records[i], e, because)
	}
	for i := range f.book.Records {
		r := &f.book.Records[i]
		if (r.Kind == KindConstraint || r.Kind == KindPreference) && f.ofBrief(r) {
			f.resolve(r, e, because)
		}
	}
}

// ofBrief reports whether a record rests on the brief of this session, and on rulings on it, alone.
func (f *folding) ofBrief(r *Record) bool {
	return !slices.ContainsFunc(r.Evidence, func(at Evidence) bool {
		return at.SessionID != f.minutes.id || !slices.ContainsFunc(f.minutes.entries, func(e wire.Entry) bool {
			_, summary := e.Payload.(council.SummaryWritten)
			return e.Seq.ID() == at.EventID && (summary || isRuling(e.Payload))
		})
	})
}

// restore makes hold again what the rejection of a brief settled that is approved after all.
func (f *folding) restore(e *wire.Entry, executes []council.MotionID) {
	decisions := f.decisions(executes)
	for i := range f.book.Records {
		switch r := &f.book.Records[i]; {
		case slices.Contains(r.Tags, markRejection) && f.inSession(r) > 0:
			f.resolve(r, e, "approved after all")
		case slices.Contains(decisions, i) && r.Status == StatusResolved && f.lastRejected(r):
			f.bearOut(r, f.evidence(e, "", ""), when(e))
			f.revive(r)
		}
	}
}

func (f *folding) finished(e *wire.Entry, p council.ExecutionFinished, h council.Handoff) {
	f.closeExecution(e, "finished")
	objective := clip(briefOf(h).Objective, maxTopic)
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

// loop returns the index of the open matter that is this session's execution, or -1.
func (f *folding) loop() int {
	return slices.IndexFunc(f.book.Records, func(r Record) bool {
		return slices.Contains(r.Tags, loopExecution) && slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
			return e.SessionID == f.minutes.id
		})
	})
}

func (f *folding) closeExecution(e *wire.Entry, because string) {
	if at := f.loop(); at >= 0 {
		f.resolve(&f.book.Records[at], e, because)
	}
}

// lastRejected reports whether the last that was said of a record is the rejection of this session's brief.
func (f *folding) lastRejected(r *Record) bool {
	last := r.Evidence[len(r.Evidence)-1]
	return last.SessionID == f.minutes.id && slices.ContainsFunc(f.minutes.entries, func(e wire.Entry) bool {
		return e.Seq.ID() == last.EventID && e.Type() == council.TypeOf[council.ExecutionRejected]()
	})
}

// FoldChange returns the book with a person's change made at the given time, and what left the book by its bounds, in
// the order in which it left. A record whose id is in the book takes that one's place; any other comes last. The
// records of the book that a put one supersedes are marked so; those that are not in the book are left alone.
//
// Nothing is filled in: the records must be whole, see [CheckRecord]. The error is [ErrBadRecord]; the book is then as
// it was.
func FoldChange(b Book, c Change, at time.Time) (after Book, left []Record, err error) {
	if c.Member != b.Member {
		return b, nil, fmt.Errorf("%w: the change is to %s, not to %s",
			ErrBadRecord, bookOf(c.Member), bookOf(b.Member))
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
				f.touch(old, at)
			}
		}
	}
	f.drop(c.Drop, at)
	f.expire(at)
	f.bound()
	return f.book, f.left, nil
}

// drop takes forgotten records out. What one of them had taken the place of holds again, unless another stands there.
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
			f.touch(&f.book.Records[i], at)
		}
	}
}

func bookOf(m council.MemberID) string {
	if m == "" {
		return "the council's book"
	}
	return "the book of " + string(m)
}
