package render

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// faulted says who gave no usable answer to what, why, and what that counts as.
func (s *session) faulted(m council.MemberID, f council.MemberFaulted) string {
	return fmt.Sprintf("%s was asked for %s and gave no usable answer: %s. It counts as %s.",
		s.name(m), askWords(f.Kind), faultWords(f.Fault), f.Standing)
}

func (t *Transcript) writeFault(p *page, e wire.Entry) {
	s := &t.session
	pl := e.Payload.(council.MemberFaulted)
	t.enterFor(p, pl.Kind)
	if pl.Kind.Blind() {
		return // shown with the other answers, when they are counted
	}
	t.heading(p, s.speaker(e.Actor)+" gives no answer", e.Seq)
	p.block(s.faulted(e.Actor, pl))
}

func (t *Transcript) writeStop(p *page, e wire.Entry) {
	s := &t.session
	switch pl := e.Payload.(type) {
	case council.SessionSuspended:
		t.enterFor(p, pl.Ask.Kind())
		t.heading(p, "Session suspended", e.Seq)
		who := ""
		if pl.Ask != "" {
			who = fmt.Sprintf(" %s was asked for %s.", s.name(e.Actor), askWords(pl.Ask.Kind()))
		}
		p.say("Stopped on %s: %s.%s Nothing is lost, and the session can be resumed.", day(e.Time), faultWords(pl.Fault), who)
		if n := len(s.Pending); n > 0 {
			p.say("Answers so far to the open question: %d. They stay sealed until all are in.", n)
		}
	case council.SessionResumed:
		t.heading(p, "Session resumed", e.Seq)
		p.say("Resumed by %s on %s.", hostile.Inline(pl.By), day(e.Time))
	case council.BudgetAmended:
		t.heading(p, "Budget changed", e.Seq)
		p.say("%s changed the budget on %s: %s.", hostile.Inline(pl.By), day(e.Time), budgetWords(pl.Budget))
	case council.ServerMoved:
		t.heading(p, "Server moved", e.Seq)
		p.say("%s said on %s that the server of %s is at %s.", hostile.Inline(pl.By), day(e.Time), s.name(pl.Member), hostile.Inline(pl.BaseURL))
	case council.SessionAdjourned:
		t.enter(p, "Adjournment · "+e.Seq.ID(), "")
		p.say("%s adjourned the session on %s. Reason:", hostile.Inline(pl.By), day(e.Time))
		p.quote(pl.Reason)
		t.writeUncounted(p)
	}
}

// writeUncounted names the answers that were given and never counted.
func (t *Transcript) writeUncounted(p *page) {
	s := &t.session
	var rows [][]string
	for _, h := range s.Pending {
		r, _ := h.Reply()
		rows = append(rows, []string{s.name(h.Actor), askWords(r.Ask.Kind()), h.Seq.ID()})
	}
	if len(rows) > 0 {
		p.block("These answers were given and not counted, because others were still out:")
		p.table([]string{"Member", "Asked for", "Event"}, rows)
	}
}
