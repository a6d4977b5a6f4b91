package render

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/price"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/render/story"
	"github.com/council-engine/council/recorder/wire"
)

// faultNames say in plain words what went wrong.
var faultNames = map[council.FaultKind]string{
	council.FaultAuth:           "the provider refused the credentials",
	council.FaultBilling:        "the provider refused for lack of credit",
	council.FaultRate:           "the provider asked to slow down",
	council.FaultModelMissing:   "the provider knows no such model",
	council.FaultTimeout:        "no reply came in time",
	council.FaultTransport:      "the provider could not be reached",
	council.FaultBudget:         "the budget is spent",
	council.FaultCancelled:      "the question was cancelled",
	council.FaultAwaiting:       "its answer is awaited",
	council.FaultRefusal:        "the model refused to answer",
	council.FaultEmpty:          "the reply was empty",
	council.FaultTruncated:      "the reply was cut off",
	council.FaultUnparsable:     "the reply could not be read",
	council.FaultContextTooLong: "the question was too long for the model",
	council.FaultAbandoned:      "the question was not put a second time",
}

// faultWords says what went wrong, with the words of whoever noticed.
func faultWords(f council.Fault) string {
	words, ok := faultNames[f.Kind]
	if !ok {
		words = hostile.Inline(string(f.Kind))
	}
	if message := hostile.Inline(cut(hostile.Line(f.Message), 300)); message != "" {
		words += " (“" + message + "”)"
	}
	return words
}

// askNames say what a member was asked for.
var askNames = map[council.AskKind]string{
	council.AskPosition: "its position",
	council.AskNominate: "its vote for a leader",
	council.AskTurn:     "its turn",
	council.AskSecond:   "a second",
	council.AskBallot:   "its ballot",
	council.AskAssess:   "an assessment of the phase",
	council.AskSummary:  "a summary",
	council.AskDraft:    "a draft",
	council.AskReview:   "what stands in the way of its approval",
	council.AskDissent:  "a dissent",
}

func askName(k council.AskKind) string {
	if name, ok := askNames[k]; ok {
		return name
	}
	return "an answer"
}

// faulted says who gave no usable answer to what, why, and what that counts as.
func (s *session) faulted(m council.MemberID, f council.MemberFaulted) string {
	return fmt.Sprintf("%s was asked for %s and gave no usable answer: %s. It counts as %s.",
		s.name(m), askName(f.Kind), faultWords(f.Fault), f.Standing)
}

func (t *Transcript) writeFault(p *page, e wire.Entry) {
	s := &t.session
	pl := e.Payload.(council.MemberFaulted)
	t.enterFor(p, pl.Kind)
	switch pl.Kind {
	case council.AskPosition, council.AskNominate, council.AskSecond, council.AskBallot:
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
			who = fmt.Sprintf(" %s was asked for %s.", s.name(e.Actor), askName(pl.Ask.Kind()))
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
	case council.SessionAdjourned:
		t.enter(p, "Adjournment · "+e.Seq.ID(), "")
		p.say("%s adjourned the session on %s. Reason:", hostile.Inline(pl.By), day(e.Time))
		p.quote(pl.Reason)
		t.writeUncounted(p)
	}
}

func budgetWords(b council.Budget) string {
	tokens, minutes := "no limit on tokens", "no limit on time"
	if b.Tokens > 0 {
		tokens = "at most " + plural(b.Tokens, "token")
	}
	if b.Minutes > 0 {
		minutes = fmt.Sprintf("at most %g minutes of waiting for members", b.Minutes)
	}
	if b.USD > 0 {
		return tokens + ", at most " + price.Dollars(b.USD).String() + ", " + minutes
	}
	return tokens + ", " + minutes
}

// writeUncounted names the answers that were given and never counted.
func (t *Transcript) writeUncounted(p *page) {
	s := &t.session
	var rows [][]string
	for _, h := range s.Pending {
		ask, _, _ := story.Cost(h.Payload)
		rows = append(rows, []string{s.name(h.Actor), askName(ask.Kind()), h.Seq.ID()})
	}
	if len(rows) > 0 {
		p.block("These answers were given and not counted, because others were still out:")
		p.table([]string{"Member", "Asked for", "Event"}, rows)
	}
}
