package memory

import (
	"fmt"
	"strings"

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
	f.demanded()
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
		f.criteria(m.entry(m.Summary.Event.Seq.ID()), *h.Brief)
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

// account returns the leader's word on what was resolved, if there is one.
func (m *reading) account() string {
	if m.Summary == nil {
		return ""
	}
	return labelled("The leader's account", m.Summary.FinalResolution)
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
		f.remember(claim(e, KindConstraint, 3, text,
			sentences("An execution is accepted only if this holds.", labelled("Objective", brief.Objective))))
	}
}
