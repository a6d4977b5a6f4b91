package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder/wire"
)

const markRejection = "rejection"

// foldAmendment, foldApproval, foldRejection and foldFinish fold rulings of persons into the council's book, where h is
// the execution after the ruling. A person's word weighs most.
func (f *bookFold) foldAmendment(e *wire.Entry, p council.BriefAmended, h council.Handoff) {
	if h.Status == council.ExecutionAwaitingApproval {
		f.addPendingApproval(e, p.Brief)
	} else {
		f.restoreDecisions(e, h.Executes)
	}
	if objective := clip(p.Brief.Objective, maxTopic); objective != "" {
		steps, _, _ := p.Brief.Lists()
		f.remember(newFact(e, KindPreference, 5,
			fmt.Sprintf("%s had it done otherwise: %s", personName(p.By), objective),
			join(fmt.Sprintf("The brief%s was amended.", f.onTopic()),
				withLabel("Steps", strings.Join(steps, "; ")))))
	}
	f.addBriefRisks(e, &p.Brief)
}

func (f *bookFold) foldApproval(e *wire.Entry, p council.ExecutionApproved, h council.Handoff) {
	f.closeExecution(e, "approved by "+personName(p.By))
	f.restoreDecisions(e, h.Executes)
	f.addCriteria(e, *cmp.Or(h.Brief, &council.Brief{}))
	f.remember(newFact(e, KindPreference, 5, clip(p.Note, maxTopic),
		fmt.Sprintf("%s said so on approving the execution%s.", personName(p.By), f.onTopic())))
}

func personName(by string) string { return cmp.Or(clip(by, maxName), "Somebody") }

func (f *bookFold) foldRejection(e *wire.Entry, p council.ExecutionRejected, h council.Handoff) {
	f.closeExecution(e, "rejected by "+personName(p.By))
	f.withdrawBrief(e, h.Executes, "rejected by "+personName(p.By))
	if f.topic == "" {
		return
	}
	s := newFact(e, KindOutcome, 4, fmt.Sprintf("%s rejected what was decided%s.", personName(p.By), f.onTopic()),
		join(withLabel("The objective was", cmp.Or(h.Brief, &council.Brief{}).Objective),
			withLabel("The reason", p.Reason)))
	s.mark, s.replacesDetail = markRejection, true
	f.remember(s)
}

// decisions returns the decisions that a brief carries out and no later session decided again.
func (f *bookFold) decisions(executes []council.MotionID) (all []*Record) {
	for _, e := range f.entries {
		p, ok := e.Payload.(council.MotionDecided)
		if !ok || !slices.Contains(executes, p.Motion) {
			continue
		}
		for _, r := range f.records {
			at := slices.IndexFunc(r.Evidence, func(at Evidence) bool {
				return at.SessionID == f.id && at.EventID == e.Seq.ID()
			})
			if r.Kind == KindDecision && at >= 0 && !slices.ContainsFunc(r.Evidence[at:], func(at Evidence) bool {
				return at.SessionID != f.id && !isPersonal(at)
			}) {
				all = append(all, r)
			}
		}
	}
	return all
}

// withdrawBrief resolves the decisions that a rejected brief carries out, and the constraints and preferences that only
// the brief and rulings on it bear out.
func (f *bookFold) withdrawBrief(e *wire.Entry, executes []council.MotionID, because string) {
	for _, r := range f.decisions(executes) {
		f.resolve(r, e, because)
	}
	other := func(at Evidence) bool {
		return at.SessionID != f.id || !slices.ContainsFunc(f.entries, func(e wire.Entry) bool {
			_, summary := e.Payload.(council.SummaryWritten)
			return e.Seq.ID() == at.EventID && (summary || isRuling(e.Payload))
		})
	}
	for _, r := range f.records {
		if (r.Kind == KindConstraint || r.Kind == KindPreference) && !slices.ContainsFunc(r.Evidence, other) {
			f.resolve(r, e, because)
		}
	}
}

// restoreDecisions makes the decisions of a brief active that its rejection resolved, because it is approved after all.
func (f *bookFold) restoreDecisions(e *wire.Entry, executes []council.MotionID) {
	decisions := f.decisions(executes)
	for _, r := range f.records {
		switch {
		case r.hasTag(markRejection) && r.countEvidence(f.id) > 0:
			f.resolve(r, e, "approved after all")
		case slices.Contains(decisions, r) && r.Status == StatusResolved && f.wasLastRejected(r):
			r.addEvidence(f.newEvidence(e, "", ""), eventTime(e))
			f.reactivate(r)
		}
	}
}

func (f *bookFold) foldFinish(e *wire.Entry, p council.ExecutionFinished, h council.Handoff) {
	f.closeExecution(e, "finished")
	objective := clip(cmp.Or(h.Brief, &council.Brief{}).Objective, maxTopic)
	if objective == "" {
		return
	}
	came := "was carried out"
	if !p.Succeeded {
		came = "was tried and failed"
		f.addLesson(e, "An execution failed.", join(withLabel("Objective", objective), endSentence(plainText(p.Note))))
	}
	f.remember(newFact(e, KindOutcome, 4, fmt.Sprintf("“%s” %s.", objective, came),
		join(fmt.Sprintf("Reported by %s%s.", personName(p.By), f.onTopic()), endSentence(plainText(p.Note)))))
}

func (f *bookFold) closeExecution(e *wire.Entry, because string) {
	here := func(e Evidence) bool { return e.SessionID == f.id }
	if r := council.First(f.records, func(r *Record) bool {
		return r.hasTag(loopExecution) && slices.ContainsFunc(r.Evidence, here)
	}); r != nil {
		f.resolve(r, e, because)
	}
}

// wasLastRejected reports whether the newest evidence of a record is the rejection of this session's brief.
func (m *sessionLog) wasLastRejected(r *Record) bool {
	last := r.Evidence[len(r.Evidence)-1]
	return last.SessionID == m.id && slices.ContainsFunc(m.entries, func(e wire.Entry) bool {
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
	book := copyBook(b)
	for _, r := range c.Put {
		if held := book.find(r.ID); held != nil {
			*held = r.Clone()
		} else {
			book.records = append(book.records, new(r.Clone()))
		}
	}
	at = Precise(at)
	for _, r := range c.Put {
		for _, id := range r.Supersedes {
			if old := book.find(id); old != nil && old.Status != StatusSuperseded {
				old.Status, old.ResolvedAt = StatusSuperseded, nil
				old.touch(at)
			}
		}
	}
	book.dropRecords(c.Drop, at)
	book.expireRecords(at)
	book.archiveSurplus()
	return book.changed(), book.left, nil
}

// dropRecords removes forgotten records. A record that only a removed one superseded becomes active.
func (c *bookCopy) dropRecords(ids []string, at time.Time) {
	var freed []string
	c.records = slices.DeleteFunc(c.records, func(r *Record) bool {
		gone := slices.Contains(ids, r.ID)
		if gone {
			freed = append(freed, r.Supersedes...)
		}
		return gone
	})
	for _, id := range freed {
		r := c.find(id)
		heir := slices.ContainsFunc(c.records, func(r *Record) bool { return slices.Contains(r.Supersedes, id) })
		if r != nil && !heir && r.Status == StatusSuperseded {
			r.Status = StatusActive
			r.touch(at)
		}
	}
}

type sessionLog struct {
	minutes.Minutes
	id       council.SessionID
	entries  []wire.Entry
	topic    string                  // on one line, and short; empty when it was erased
	policies []council.MemoryPolicy  // by index of entries
	handoffs []council.Handoff       // by index of entries: the execution so far
	closing  int                     // index of the entry with which the session closed
	blockers []minutes.RaisedBlocker // of members, in the order in which they were raised
}

func readSession(s Session) *sessionLog {
	m := &sessionLog{id: s.ID, entries: s.Entries}
	var policy council.MemoryPolicy
	closed := false
	for i := range m.entries {
		e := &m.entries[i]
		m.Take(e.Event, minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten})
		m.handoffs = append(m.handoffs, m.Handoff)
		charter := &m.Started.Charter
		if i == 0 || e.Phase != "" { // the last phase's stays that of the closing
			in := charter.Phase(cmp.Or(e.Phase, charter.SessionPolicy.EntryPhaseID))
			policy = cmp.Or(in, &council.Phase{}).MemoryPolicy
		}
		m.policies = append(m.policies, policy)
		if !closed && !isRuling(e.Payload) { // the end also of a session whose closing event was erased
			m.closing = i
		}
		closed = closed || m.Outcome != nil || isRuling(e.Payload)
	}
	m.topic = firstLine(m.Started.Topic.Text)
	for _, d := range m.Drafts {
		m.blockers = append(m.blockers, m.Raised(d)...)
	}
	m.blockers = slices.DeleteFunc(m.blockers, func(b minutes.RaisedBlocker) bool { return b.Member == "" })
	return m
}

func (m *sessionLog) entry(id string) *wire.Entry {
	return &m.entries[slices.IndexFunc(m.entries, func(e wire.Entry) bool { return e.Seq.ID() == id })]
}

func (m *sessionLog) isFinal(id council.MotionID) bool {
	return m.Outcome != nil && slices.ContainsFunc(m.Outcome.Resolutions,
		func(r council.Resolution) bool { return r.Motion == id })
}

func isRuling(p council.Payload) bool { return p != nil && p.Row().Type.RulesOnBrief() }

func mayWrite(p council.MemoryPolicy, owner council.MemberID) bool {
	if owner == "" {
		return p.WriteCouncilMemory
	}
	return p.WriteMemberMemory
}

func (m *sessionLog) mayWriteBook(owner council.MemberID) bool {
	member := owner == "" || m.Started.Charter.Member(owner) != nil
	return member && slices.ContainsFunc(m.policies, func(p council.MemoryPolicy) bool { return mayWrite(p, owner) })
}

func (m *sessionLog) name(id council.MemberID) string {
	if seat := m.Started.Charter.Asked(id); seat != nil {
		if name := clip(seat.Name, maxName); name != "" {
			return name
		}
	}
	return clip(string(id), maxName)
}

func (m *sessionLog) onTopic() string {
	if m.topic == "" {
		return ""
	}
	return " on “" + m.topic + "”"
}

func eventTime(e *wire.Entry) time.Time { return Precise(e.Time) }
