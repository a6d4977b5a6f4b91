package budget

import (
	"context"
	"errors"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

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

func (m payer) Complete(ctx context.Context, q prompt.Prompt) (prompt.Completion, error) {
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
func (p *Budget) begin(ask council.Ask, q prompt.Prompt) *council.Fault {
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

// Answerer answers for a member: it is the Member that package engine asks.
type Answerer interface {
	Answer(ctx context.Context, v council.View) (council.Reply, error)
}

// Seat gives back what was held for a question of m's once it is answered or given up without a call.
func (p *Budget) Seat(m Answerer) Answerer { return seat{p, m} }

type seat struct {
	budget *Budget
	member Answerer
}

func (s seat) Answer(ctx context.Context, v council.View) (council.Reply, error) {
	defer s.budget.release(v.Ask.ID)
	return s.member.Answer(ctx, v)
}
