package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// sessionClosed remembers what the session came to, and what it left open.
func (f *folding) sessionClosed(e *wire.Entry, o council.Outcome) {
	m := f.minutes
	approved := o.Documentation == council.DocumentationApproved
	if came := m.cameTo(); came != "" {
		s := fact(e, KindOutcome, 2, came, m.account())
		if s.artifact = transcript; approved {
			s.artifact = documentation
		}
		f.remember(s)
	}
	if m.Rehearsed() {
		return // it leaves nothing open
	}
	f.leftOpen(approved)
	if !o.Decided {
		f.open(e, loopResolution, fmt.Sprintf("Nothing was resolved%s.", m.on()), m.account())
	}
	switch o.Documentation {
	case council.DocumentationMissing:
		f.open(e, loopDocument, fmt.Sprintf("No document was written%s.", m.on()), "")
	case council.DocumentationUnapproved:
		f.open(e, loopDocument, fmt.Sprintf("The document%s stands unapproved.", m.on()), "")
	}
	switch h := m.handoffs[m.closing]; {
	case h.Brief == nil:
	case h.Status == council.ExecutionAwaitingApproval:
		f.awaits(e, *h.Brief)
	case h.Status == council.ExecutionCleared:
		f.criteria(m.entry(h.BriefIn.ID()), *h.Brief)
	}
}

// open remembers what the session leaves open, if its topic was not erased.
func (f *folding) open(e *wire.Entry, mark, what, detail string) {
	s := fact(e, KindOpenLoop, 4, what, detail)
	s.like, s.mark, s.afresh = oneOf, mark, true
	if f.minutes.topic != "" {
		f.remember(s)
	}
}

// awaits remembers that a brief awaits approval.
func (f *folding) awaits(e *wire.Entry, brief council.Brief) {
	f.open(e, loopExecution, fmt.Sprintf("What was decided%s awaits approval of its execution.", f.minutes.on()),
		labelled("Objective", brief.Objective))
}

// account returns the leader's summary as its claim, if there is one.
func (m *reading) account() string {
	if m.Summary == nil {
		return ""
	}
	return labelled(m.name(m.Summary.Event.Actor)+"'s account, not voted on", m.Summary.SummaryMarkdown)
}

// resolutions quotes what a session resolved: “A” and “B”. What was erased is left out.
func resolutions(o council.Outcome) string {
	var all []string
	for _, decision := range o.Decisions() {
		if clip(decision, maxQuote) != "" {
			all = append(all, quote(decision))
		}
	}
	return strings.Join(all, " and ")
}

// cameTo returns the result of a session in one sentence. It is empty when that was erased.
func (m *reading) cameTo() string {
	o := m.Outcome
	if o == nil || m.topic == "" {
		return ""
	}
	text := "On “" + m.topic + "” "
	switch {
	case o.Rehearsed:
		return text + "there was a rehearsal, which decides nothing."
	case o.Decided && len(o.Resolutions) > 0:
		decided := resolutions(*o)
		if decided == "" {
			return ""
		}
		text += "the council resolved " + decided
	case o.Ended == council.SessionCutShort:
		text += "nothing was resolved, as the session was adjourned"
	default:
		text += "nothing was resolved"
	}
	switch o.Documentation {
	case council.DocumentationApproved:
		text += "; its document was approved"
	case council.DocumentationUnapproved:
		text += "; its document was not approved"
	case council.DocumentationMissing:
		text += "; no document was written"
	}
	return text + "."
}

// criteria remembers as constraints by what an execution that may go ahead is judged.
func (f *folding) criteria(e *wire.Entry, brief council.Brief) {
	_, _, criteria := brief.Told()
	for _, text := range criteria {
		s := claim(e, KindConstraint, 3, text,
			sentences("An execution is accepted only if this holds.", labelled("Objective", brief.Objective)))
		s.claimant = "" // a ballot or a person cleared the brief
		f.remember(s)
	}
}

// The marks of open matters, by what closes them.
const (
	loopResolution = "loop:resolution" // a session that reopens theirs decides
	loopDocument   = "loop:document"   // … approves a document
	loopBlocker    = "loop:blocker"    // … approves a document
	loopExecution  = "loop:execution"  // a person rules on it, or a session that reopens theirs decides
)

// The kinds that a motion which names a record may settle or replace. A person's preference is not the council's to
// settle, and an outcome is not settled at all.
var (
	resolvable   = []Kind{KindOpenLoop, KindRiskPattern, KindAssumption, KindLesson}
	supersedable = []Kind{KindDecision, KindConstraint, KindAssumption}
)

// expire makes stale what has expired by the given time.
func (f *folding) expire(at time.Time) {
	for i := range f.book.Records {
		r := &f.book.Records[i]
		if r.Status == StatusActive && r.ExpiresAt != nil && !r.ExpiresAt.After(at) {
			r.Status = StatusStale
			f.touch(r, at)
		}
	}
}

func (f *folding) touch(r *Record, at time.Time) {
	if at.After(r.UpdatedAt) {
		r.UpdatedAt = at
	}
}

// settleLoops resolves the open matters of the session that this one reopens, as far as this one closed them and did
// not leave them open again.
func (f *folding) settleLoops() {
	o := f.minutes.Outcome
	if o == nil {
		return
	}
	var closed []string
	if o.Decided {
		closed = append(closed, loopResolution, loopExecution)
	}
	if o.Documentation == council.DocumentationApproved {
		closed = append(closed, loopDocument, loopBlocker)
	}
	for i := range f.book.Records {
		r := &f.book.Records[i]
		closes := slices.ContainsFunc(closed, func(mark string) bool { return slices.Contains(r.Tags, mark) })
		if closes && f.reopens(r) {
			f.resolve(r, &f.minutes.entries[f.minutes.closing], "")
		}
	}
}

// resolve closes an open record. It does nothing to a settled one, and nothing in a rehearsal.
func (f *folding) resolve(r *Record, by *wire.Entry, because string) {
	if f.minutes.Rehearsed() || r.Status != StatusActive && r.Status != StatusStale {
		return
	}
	at := when(by)
	place := f.evidence(by, "", "")
	place.Note = "settled"
	if because = clip(because, maxTopic); because != "" {
		place.Note += ": " + because
	}
	f.bearOut(r, place, at)
	r.Status, r.ResolvedAt = StatusResolved, &at
}

// supersede puts one record in the place of another, unless the session is a rehearsal.
func (f *folding) supersede(by, old int, at time.Time) {
	r, n := &f.book.Records[old], &f.book.Records[by]
	if f.minutes.Rehearsed() || by == old || r.Status != StatusActive && r.Status != StatusStale {
		return
	}
	r.Status = StatusSuperseded
	f.touch(r, at)
	if !slices.Contains(n.Supersedes, r.ID) {
		n.Supersedes = append(n.Supersedes, r.ID)
	}
}

// claimSettled notes at records that the leader's summary says they are settled, as far as it counts: see
// [council.SessionStarted.Settled]. They stay as they are, until a motion names them or a person settles them.
func (f *folding) claimSettled() {
	summary := f.minutes.Summary
	if summary == nil {
		return
	}
	by := f.minutes.entry(summary.Event.Seq.ID())
	for _, s := range f.minutes.Started.Settled(by.Actor, summary.Summary) {
		at := f.index(s.Record)
		if at < 0 {
			continue // of another book
		}
		r := &f.book.Records[at]
		if r.Status != StatusActive || !f.concerns(r) || r.Kind == KindOpenLoop && f.inSession(r) > 0 {
			continue // this session may not settle it, or left it open, whatever is said
		}
		r.SettledBy = f.minutes.name(by.Actor)
		if because := clip(s.Because, maxTopic); because != "" {
			r.SettledBy += ": " + because
		}
	}
}
