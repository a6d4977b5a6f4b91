// Package budget keeps a session within its budget. It holds the prices of models, estimates a question and a whole
// session beforehand, and reserves the estimate of a question before it is put; the provider's report then replaces it.
// So a session stops between calls, never within one, and overspends by no more than the error of its estimates of the
// calls in flight. Estimates are pure: the same charter, log and prompts give the same.
package budget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// Budget tracks a session's spending: recorded, not yet recorded, and reserved for calls in flight. All its methods may
// be called by any goroutine, but for Admit, which belongs to the one that drives the session.
type Budget struct {
	opening Opening
	charter *council.Charter
	meter   *Meter

	mu          sync.Mutex
	capped      council.Budget // the budget when questions were last admitted
	read        int            // events taken in
	spent       council.Amount // by the replies that are in the log
	unrecorded  amounts
	reserved    amounts                // of questions that were admitted and not settled
	called      map[council.AskID]bool // those of them that have come to a call
	interrupted map[council.AskID]bool // questions that a crash cut off and that were not put again yet
	doubtCosts  amounts                // of the questions in doubt, by their answers
}

// Opening is the state from which a budget begins when a session is opened or goes on.
type Opening struct {
	Charter *council.Charter
	Budget  func() council.Budget    // in force
	Sizes   func(council.View) int64 // the bytes of the prompt for a view's ask
	Events  []council.Event          // the log

	Paid   map[council.AskID]council.Usage // of replies on the tapes; those that the log records too count once
	Failed map[council.AskID]council.Usage // of calls that brought nothing, on the tapes and not in the log
	Doubts map[council.AskID]int           // how often crashes cut off an answer; each time may have been billed
	Cut    []council.AskID                 // those of them that have no answer to this day
	// notes durably that a question of which a crash cut off the answer is put again; nil: it is not noted
	Again func(council.AskID) error
}

// New returns the budget of a session.
func New(o Opening) *Budget {
	p := &Budget{opening: o, charter: o.Charter, meter: NewMeter(o.Charter), unrecorded: amounts{}, reserved: amounts{},
		interrupted: map[council.AskID]bool{}, called: map[council.AskID]bool{}, doubtCosts: amounts{}}
	for _, ask := range o.Cut {
		p.interrupted[ask] = o.Again != nil
	}
	for ask, usage := range o.Paid {
		p.unrecorded[ask] = p.charter.AmountOf(ask.Member(), usage, false)
	}
	for ask, usage := range o.Failed {
		p.spent = p.spent.Plus(p.charter.AmountOf(ask.Member(), usage, true))
	}
	p.readLog(o.Events)
	return p
}

// Admit reserves the estimates of the views' asks, if all of it is left. Otherwise it reserves nothing, and the fault
// has the need and the shortfall. The answer depends on the log, on the prompts and on the calls in flight alone.
// Without a budget in tokens or dollars nothing is estimated.
func (p *Budget) Admit(views []council.View) *council.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.capped = p.opening.Budget()
	if len(views) == 0 || p.capped.Tokens <= 0 && p.capped.USD <= 0 {
		return nil
	}
	p.readLog(views[0].Events)
	withdrawn := func(ask council.AskID, _ council.Amount) bool { return !p.called[ask] } // before it was put
	maps.DeleteFunc(p.reserved, withdrawn)
	needs := amounts{}
	for _, v := range views {
		if _, paid := p.unrecorded[v.Ask.ID]; !paid { // else its reply is on the tape, and counted
			needs[v.Ask.ID] = p.estimate(v.Ask, p.opening.Sizes(v))
		}
	}
	if fault := p.shortfall(needs, len(views)); fault != nil {
		return fault
	}
	maps.Copy(p.reserved, needs)
	return nil
}

// shortfall returns the fault of needs beyond the rest of the budget, or nil.
func (p *Budget) shortfall(needs amounts, asks int) *council.Fault {
	need, gone := sum(needs), p.committedAmount(needs)
	what := "the next question needs"
	if asks > 1 {
		what = fmt.Sprintf("the next %d questions need", asks)
	}
	fault := func(format string, args ...any) *council.Fault {
		return &council.Fault{Kind: council.FaultBudget, Message: fmt.Sprintf(format, args...)}
	}
	if left := p.capped.Tokens - gone.Tokens; p.capped.Tokens > 0 && need.Tokens > left {
		return fault("%s about %d tokens, and %d of %d are left: %d too few", what, need.Tokens, max(0, left),
			p.capped.Tokens, need.Tokens-max(0, left))
	}
	usd := council.Dollars(p.capped.USD)
	switch left := usd - gone.Cost; {
	case usd <= 0:
	case gone.Unknown:
		return fault("what was spent so far is not known, so a budget of %s cannot be held", usd)
	case need.Unknown:
		return fault("%s prompts that are longer than their price holds for, so a budget of %s cannot be held", what, usd)
	case need.Cost > left:
		return fault("%s about %s, and %s of %s are left: %s too little", what, need.Cost, max(0, left), usd,
			need.Cost-max(0, left))
	}
	return nil
}

// Spent returns the session's spending, with its calls in flight and the possible cost of crashes.
func (p *Budget) Spent() council.Amount {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.committedAmount(nil)
}

func (p *Budget) committedAmount(needs amounts) council.Amount {
	return p.spent.Plus(sum(p.unrecorded)).Plus(sum(p.reserved)).Plus(p.doubtfulCost(needs))
}

// doubtfulCost sums the possible cost of questions that a crash cut off: that of their answers, or else the estimate.
func (p *Budget) doubtfulCost(needs amounts) council.Amount {
	var all council.Amount
	for ask, times := range p.opening.Doubts {
		one := cmp.Or(p.doubtCosts[ask], p.unrecorded[ask], p.reserved[ask], needs[ask])
		if one == (council.Amount{}) {
			one = p.priceOf(ask.Member(), p.meter.EstimateRetry(ask))
		}
		for range times {
			all = all.Plus(one)
		}
	}
	return all
}

type amounts map[council.AskID]council.Amount

func sum(parts amounts) council.Amount {
	var all council.Amount
	for _, a := range parts {
		all = all.Plus(a)
	}
	return all
}

// readLog takes in the new events of a log: their cost is no longer counted apart.
func (p *Budget) readLog(log []council.Event) {
	for _, e := range log[min(p.read, len(log)):] {
		p.read++
		r, ok := e.Reply()
		if !ok {
			continue
		}
		took := p.charter.AmountOf(e.Actor, r.Usage, r.Fault != nil)
		p.spent = p.spent.Plus(took)
		if _, settled := e.Heard(); !settled {
			continue // the ask is still open, or what it took is not in this event
		}
		p.meter.Learn(e.Actor, r.Ask.Kind(), r.Usage)
		delete(p.unrecorded, r.Ask)
		if p.opening.Doubts[r.Ask] > 0 {
			p.doubtCosts[r.Ask] = took
		}
	}
}

func (p *Budget) estimate(a council.Ask, promptBytes int64) council.Amount {
	return p.priceOf(a.Member, p.meter.Estimate(a.Member, a.Kind, promptBytes))
}

// priceOf returns the amount of an estimated usage. Members without a model take nothing.
func (p *Budget) priceOf(m council.MemberID, estimated council.Usage) council.Amount {
	return p.charter.AmountOf(m, estimated, estimated.Tokens() == 0)
}

// Pay settles every call of a member's model with the budget, and notes in its usage how long the prompt was. A repair
// is a call that was not admitted: one that does not fit is not put, and fails for the budget. It belongs inside of
// [member.WithCallLog], which pays for no reply twice, and outside of [member.Retry], whose tries are one question.
func (p *Budget) Pay(m member.Model, id council.MemberID) member.Model {
	return member.ModelFunc(func(ctx context.Context, q *prompt.Prompt) (prompt.Completion, error) {
		ask := council.Ask{ID: q.View.Ask.ID, Kind: q.View.Ask.Kind, Member: id}
		again, fault := p.beginCall(ask, q)
		if fault != nil {
			return prompt.Completion{}, &member.CallError{Fault: *fault}
		}
		if again {
			if err := p.opening.Again(ask.ID); err != nil {
				return prompt.Completion{}, &member.CallLogError{Err: err}
			}
		}
		c, err := m.Complete(ctx, q)
		if c.Usage.PromptTokens() > 0 {
			c.Usage.PromptBytes = q.Bytes()
		}
		used := &c.Usage
		if call, ok := errors.AsType[*member.CallError](err); ok {
			used = &call.Usage
		} else if err != nil {
			used = nil // it was called off
		}
		p.endCall(ask, used, err != nil)
		return c, err
	})
}

// beginCall notes that a question comes to a call, and reserves the estimate of a repair. It reports whether a crash
// had cut off the answer to the question.
func (p *Budget) beginCall(ask council.Ask, q *prompt.Prompt) (again bool, _ *council.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.Try > 1 && (p.capped.Tokens > 0 || p.capped.USD > 0) {
		need := amounts{ask.ID: p.estimate(ask, q.Bytes())}
		if fault := p.shortfall(need, 1); fault != nil {
			return false, fault
		}
		p.reserved[ask.ID] = need[ask.ID]
	}
	again = p.interrupted[ask.ID]
	p.interrupted[ask.ID], p.called[ask.ID] = false, true
	return again, nil
}

// endCall replaces the reserved amount of a call by its cost. Where its usage is nil, so unknown, the reserve counts.
func (p *Budget) endCall(ask council.Ask, used *council.Usage, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cost := p.reserved[ask.ID]
	if used != nil {
		cost = p.charter.AmountOf(ask.Member, *used, failed)
	}
	delete(p.reserved, ask.ID)
	delete(p.called, ask.ID)
	p.unrecorded[ask.ID] = p.unrecorded[ask.ID].Plus(cost)
}

// Seat releases the reserve for a question of m's once it is answered or given up without a call.
func (p *Budget) Seat(m engine.Member) engine.Member { return seat{p, m} }

type seat struct {
	budget *Budget
	member engine.Member
}

func (s seat) Answer(ctx context.Context, v council.View) (council.Reply, error) {
	defer func() {
		s.budget.mu.Lock()
		defer s.budget.mu.Unlock()
		delete(s.budget.reserved, v.Ask.ID)
	}()
	return s.member.Answer(ctx, v)
}
