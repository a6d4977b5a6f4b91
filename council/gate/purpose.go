package gate

import (
	"context"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
)

// Purpose describes the reason of requests and programs. It is safe for concurrent use. All its methods take a nil
// Purpose.
type Purpose struct {
	Session council.SessionID
	Ask     council.AskID
	Member  council.MemberID
	Model   string        // provider/model
	Tokens  int64         // that one request is estimated to take
	Cost    council.Money // likewise

	mu    sync.Mutex
	calls []int64 // entries that are not settled
	err   error
}

type purposeKey struct{}
type callingKey struct{}

// In returns a context whose requests and programs are for this purpose.
func (p *Purpose) In(ctx context.Context) context.Context {
	return context.WithValue(context.WithValue(ctx, purposeKey{}, p), callingKey{}, false)
}

// WithCall returns a context whose requests may cost.
func WithCall(ctx context.Context) context.Context { return context.WithValue(ctx, callingKey{}, true) }

// WithContact returns a context whose requests cost nothing, such as those of a login.
func WithContact(ctx context.Context) context.Context {
	return context.WithValue(ctx, callingKey{}, false)
}

func isCall(ctx context.Context) bool {
	calls, _ := ctx.Value(callingKey{}).(bool)
	return calls
}

func purposeOf(ctx context.Context) *Purpose {
	p, _ := ctx.Value(purposeKey{}).(*Purpose)
	return p
}

// entry returns an entry for the purpose.
func (p *Purpose) entry(t audit.Type) audit.Entry {
	e := audit.Entry{Type: t}
	if p != nil {
		e.Session, e.Ask, e.Member = p.Session, p.Ask, p.Member
	}
	return e
}

// call notes a call and remembers to settle it.
func (p *Purpose) call(g *Gate, e audit.Entry) error {
	if p != nil {
		e.Model, e.Tokens, e.Cost = p.Model, p.Tokens, p.Cost
	}
	seq, err := g.call(e)
	if err == nil && p != nil {
		p.mu.Lock()
		p.calls = append(p.calls, seq)
		p.mu.Unlock()
	}
	return err
}

// Call notes a call that is not an HTTP request: that of a program. The error is a [*SpentError] or an [ErrLedger].
func (p *Purpose) Call(g *Gate, what string) error {
	if g == nil {
		return nil
	}
	e := p.entry(audit.TypeCall)
	e.What = what
	e.Rule = "nothing forbids it"
	return p.call(g, e)
}

// stop keeps the first error of the gate.
func (p *Purpose) stop(err error) {
	if p == nil || err == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

// Err returns the first refusal of the gate, or nil.
func (p *Purpose) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Settle replaces the estimates of all calls since the last time: the last call gets the usage, the earlier ones,
// which the server refused, nothing. If a line cannot be written, the estimate remains, and the next call fails: a
// paid reply is not lost.
func (p *Purpose) Settle(g *Gate, tokens int64, cost council.Money, unknown bool) {
	p.mu.Lock()
	calls := p.calls
	p.calls = nil
	p.mu.Unlock()
	for i, seq := range calls {
		e := p.entry(audit.TypeSettled)
		e.Of = seq
		if i == len(calls)-1 {
			e.Tokens, e.Cost, e.Unknown = tokens, cost, unknown
		}
		if _, err := g.Note(e); err != nil {
			return
		}
	}
}
