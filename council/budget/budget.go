// Package budget keeps a session within its budget. It holds the prices of models, estimates beforehand what a
// question and a whole session will take, and holds back what a question is estimated to take before it is put; what
// it really took is settled by what the provider reports. So a session stops between calls, never within one, and
// overspends by no more than its estimates of the calls in flight were wrong. Estimates are pure: the same charter,
// log and prompts give the same.
package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// Budget knows what one session has spent, what of it is in no event, and what the calls in flight may take. All its
// methods may be called by any goroutine, but for Admit: that belongs to the one that drives the session.
type Budget struct {
	budget func() council.Budget
	sizes  func(council.View) int64
	meter  *Meter

	mu      sync.Mutex
	charter *council.Charter
	capped  council.Budget // the budget when questions were last admitted
	read    int            // events taken in
	spent   council.Amount // by the replies that are in the log
	beside  amounts
	held    amounts                // of questions that were admitted and not settled
	begun   map[council.AskID]bool // those of them that have come to a call
	doubts  []Doubt
	again   func(council.AskID) error
	cut     map[council.AskID]bool // questions that a crash cut off and that were not put again yet
	settled amounts                // what the questions in doubt took in the end
}

// Doubt is a question of which crashes cut off the answer so often; each time may have been billed.
type Doubt struct {
	Ask   council.AskID
	Times int
	Open  bool // it has no answer to this day
}

// Opening is the state from which a budget begins when a session is opened or goes on.
type Opening struct {
	Charter *council.Charter
	Budget  func() council.Budget    // in force
	Sizes   func(council.View) int64 // the bytes of the prompt for a view's ask
	Events  []council.Event          // the log

	Paid   []Paid // on the tapes; what the log records too counts once
	Failed []Paid // calls that brought nothing, on the tapes and not in the log
	Doubts []Doubt
	// notes durably that a question of which a crash cut off the answer is put again; nil: it is not noted
	Again func(council.AskID) error
}

// Paid is the usage of the replies to one question.
type Paid struct {
	Ask    council.AskID
	Member council.MemberID
	Usage  council.Usage
}

// New returns the budget of a session.
func New(o Opening) *Budget {
	p := &Budget{
		budget: o.Budget, sizes: o.Sizes, charter: o.Charter, meter: NewMeter(o.Charter), doubts: o.Doubts,
		beside: amounts{}, held: amounts{},
		again: o.Again, cut: map[council.AskID]bool{}, begun: map[council.AskID]bool{}, settled: amounts{},
	}
	for _, d := range o.Doubts {
		p.settled[d.Ask], p.cut[d.Ask] = council.Amount{}, d.Open && o.Again != nil
	}
	for _, paid := range o.Paid {
		p.beside[paid.Ask] = p.charter.Took(paid.Member, paid.Usage, false)
	}
	for _, paid := range o.Failed {
		p.spent = p.spent.Plus(p.charter.Took(paid.Member, paid.Usage, true))
	}
	p.learn(o.Events)
	return p
}

// Admit holds back what the asks of the views will take, if all of it is left. Otherwise it holds back nothing, and
// the fault tells what was needed and by how much it is too little. The answer depends on the log, on the prompts and
// on what is in flight alone. Without a budget in tokens or dollars nothing is estimated.
func (p *Budget) Admit(views []council.View) *council.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.capped = p.budget()
	if len(views) == 0 || p.capped.Tokens <= 0 && p.capped.USD <= 0 {
		return nil
	}
	p.learn(views[0].Events)
	for ask := range p.held { // withdrawn before it was put
		if !p.begun[ask] {
			delete(p.held, ask)
		}
	}
	needs := amounts{}
	for _, v := range views {
		if _, paid := p.beside[v.Ask.ID]; !paid { // else its reply is on the tape, and counted
			needs[v.Ask.ID] = p.estimate(v.Ask, p.sizes(v))
		}
	}
	if fault := p.short(needs, len(views)); fault != nil {
		return fault
	}
	for ask, need := range needs {
		p.held[ask] = need
	}
	return nil
}

// short returns the fault of needs that do not fit in what is left, or nil.
func (p *Budget) short(needs amounts, asks int) *council.Fault {
	need, gone := sum(needs), p.gone(needs)
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

// Gone returns what the session took so far, with what its calls in flight may take and crashes may have cost.
func (p *Budget) Gone() council.Amount {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone(nil)
}

func (p *Budget) gone(needs amounts) council.Amount {
	return p.spent.Plus(sum(p.beside)).Plus(sum(p.held)).Plus(p.doubted(needs))
}

// doubted sums what the questions that a crash cut off may have been billed: what their answers took in the end, or
// else what they are estimated to take.
func (p *Budget) doubted(needs amounts) council.Amount {
	var all council.Amount
	for _, d := range p.doubts {
		one := p.settled[d.Ask]
		for _, other := range []amounts{p.beside, p.held, needs} {
			if one == (council.Amount{}) {
				one = other[d.Ask]
			}
		}
		if one == (council.Amount{}) {
			one = p.billed(d.Ask.Member(), p.meter.Again(d.Ask))
		}
		for range d.Times {
			all = all.Plus(one)
		}
	}
	return all
}

// amounts are those of questions.
type amounts map[council.AskID]council.Amount

func sum(parts amounts) council.Amount {
	var all council.Amount
	for _, a := range parts {
		all = all.Plus(a)
	}
	return all
}

// learn takes in the events of a log that are new: what they record is no longer counted apart.
func (p *Budget) learn(log []council.Event) {
	for _, e := range log[min(p.read, len(log)):] {
		p.read++
		r, ok := e.Reply()
		if !ok {
			continue
		}
		took := p.charter.Took(e.Actor, r.Usage, r.Fault != nil)
		p.spent = p.spent.Plus(took)
		if _, settled := e.Answered(); !settled {
			continue // the session was suspended, and the ask is still open
		}
		p.meter.Learn(e.Actor, r.Ask.Kind(), r.Usage)
		delete(p.beside, r.Ask)
		if _, doubtful := p.settled[r.Ask]; doubtful {
			p.settled[r.Ask] = took
		}
	}
}

// estimate returns the estimated amount of one call.
func (p *Budget) estimate(a council.Ask, promptBytes int64) council.Amount {
	return p.billed(a.Member, p.meter.Estimate(a.Member, a.Kind, promptBytes))
}

// billed returns the amount of an estimated usage. Members without a model take nothing.
func (p *Budget) billed(m council.MemberID, estimated council.Usage) council.Amount {
	return p.charter.Took(m, estimated, estimated.Tokens() == 0)
}

// Pay settles every call of a member's model with the budget, and notes in its usage how long the prompt was. A repair
// is a call that was not admitted: one that does not fit is not put, and fails for the budget. It belongs inside of
// [member.Taped], which pays for no reply twice, and outside of [member.Retry], whose tries are one question.
func (p *Budget) Pay(m member.Model, id council.MemberID) member.Model { return payer{p, m, id} }

type payer struct {
	budget *Budget
	model  member.Model
	member council.MemberID
}

func (m payer) Complete(ctx context.Context, q *prompt.Prompt) (prompt.Completion, error) {
	ask := council.Ask{ID: q.View.Ask.ID, Kind: q.View.Ask.Kind, Member: m.member}
	if fault := m.budget.begin(ask, q); fault != nil {
		return prompt.Completion{}, &member.CallError{Fault: *fault}
	}
	if err := m.budget.askAgain(ask.ID); err != nil {
		return prompt.Completion{}, &member.TapeError{Err: err}
	}
	c, err := m.model.Complete(ctx, q)
	if c.Usage.PromptTokens() > 0 {
		c.Usage.PromptBytes = q.Bytes()
	}
	var call *member.CallError
	switch {
	case err == nil:
		m.budget.settle(ask, c.Usage, false)
	case errors.As(err, &call):
		m.budget.settle(ask, call.Usage, true)
	default:
		m.budget.doubt(ask) // it was called off, and it is not known what is billed
	}
	return c, err
}

// begin notes that a question comes to a call, and holds back what a repair will take.
func (p *Budget) begin(ask council.Ask, q *prompt.Prompt) *council.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.Try > 1 && (p.capped.Tokens > 0 || p.capped.USD > 0) {
		need := amounts{ask.ID: p.estimate(ask, q.Bytes())}
		if fault := p.short(need, 1); fault != nil {
			return fault
		}
		p.held[ask.ID] = need[ask.ID]
	}
	p.begun[ask.ID] = true
	return nil
}

// askAgain notes that a question is put whose answer a crash had cut off.
func (p *Budget) askAgain(ask council.AskID) error {
	p.mu.Lock()
	cut := p.cut[ask]
	p.cut[ask] = false
	p.mu.Unlock()
	if !cut {
		return nil
	}
	return p.again(ask)
}

// settle puts what a call took in the place of what was held back for it.
func (p *Budget) settle(ask council.Ask, u council.Usage, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done(ask.ID, p.charter.Took(ask.Member, u, failed))
}

// doubt counts what was held back as spent.
func (p *Budget) doubt(ask council.Ask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done(ask.ID, p.held[ask.ID])
}

func (p *Budget) done(ask council.AskID, took council.Amount) {
	delete(p.held, ask)
	delete(p.begun, ask)
	p.beside[ask] = p.beside[ask].Plus(took)
}

// release gives back what was held for an ask that came to no call: its reply was on the tape.
func (p *Budget) release(ask council.AskID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, ask)
}

// Seat gives back what was held for a question of m's once it is answered or given up without a call.
func (p *Budget) Seat(m engine.Member) engine.Member { return seat{p, m} }

type seat struct {
	budget *Budget
	member engine.Member
}

func (s seat) Answer(ctx context.Context, v council.View) (council.Reply, error) {
	defer s.budget.release(v.Ask.ID)
	return s.member.Answer(ctx, v)
}
