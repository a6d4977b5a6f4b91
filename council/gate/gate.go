// Package gate is the only way to everything that can cost or act: HTTP requests and programs. It asks the policy, and
// writes one line of the workspace's ledger before each request and each start. Without it neither happens.
//
// The purpose of a request is in its context, as a [Purpose].
package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/process"
)

// Ledger takes entries. Append returns when the entry is durable, with its number; nothing that an entry announces may
// be done when it fails. Decide appends the entry that its function returns for the spending of the last day, under
// the ledger's lock, and nothing when the function fails: its error is then returned. It is safe for concurrent use.
type Ledger interface {
	Append(audit.Entry) (int64, error)
	Decide(func(*audit.Day) (audit.Entry, error)) (int64, error)
}

// Gate enforces the policy. It is safe for concurrent use. A nil Gate allows everything and writes nothing: it is for
// tests, and internal/policy holds that no other code leaves a gate out.
type Gate struct {
	policy *policy.Policy
	open   func(write bool) (Ledger, error)
	closed error // why nothing passes

	mu     sync.Mutex
	ledger Ledger
}

// New returns a gate. open opens the ledger; for reading it may return nil where there is no workspace yet.
func New(p *policy.Policy, open func(write bool) (Ledger, error)) *Gate {
	return &Gate{policy: p, open: open}
}

// NewClosed returns a gate that refuses everything, for the reason given.
func NewClosed(why error) *Gate { return &Gate{closed: why, policy: &policy.Policy{}} }

// Policy returns the policy in force.
func (g *Gate) Policy() *policy.Policy {
	if g == nil {
		return &policy.Policy{}
	}
	return g.policy
}

// ErrLedger: the ledger cannot be written or read, so nothing was sent or started.
var ErrLedger = errors.New("the ledger cannot be kept, so nothing was sent and nothing was started")

// unkept returns the ErrLedger for an error of the ledger, or nil.
func unkept(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrLedger, err)
}

// SpentError: a call would exceed the spending limit.
type SpentError struct{ Words string }

func (e *SpentError) Error() string { return e.Words }

func (g *Gate) book(write bool) (Ledger, error) {
	if g.closed != nil {
		return nil, g.closed
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ledger != nil {
		return g.ledger, nil
	}
	l, err := g.open(write)
	if err == nil {
		g.ledger = l
	}
	return l, unkept(err)
}

// Note appends an entry. The error is an [ErrLedger]: the announced action must not happen.
func (g *Gate) Note(e audit.Entry) (int64, error) {
	if g == nil {
		return 0, nil
	}
	l, err := g.book(e.Type != audit.TypeContact)
	if err != nil || l == nil {
		return 0, err
	}
	seq, err := l.Append(e)
	return seq, unkept(err)
}

// check returns and notes a [*policy.RefusedError] where the policy forbids the thing, and sets the rule of e.
func (g *Gate) check(e *audit.Entry, s policy.Subject, thing string) error {
	rule := g.Policy().Decide(s, thing)
	e.Rule = rule.Name
	if rule.Allowed {
		return nil
	}
	denied := *e
	denied.Type, denied.Why = audit.TypeDenied, string(s)
	if _, err := g.Note(denied); err != nil {
		return err
	}
	return g.policy.Check(e.Member, s, thing)
}

// call notes a request that may cost, within the spending limit. The error is a [*SpentError] or an [ErrLedger].
func (p *Purpose) call(g *Gate, e audit.Entry) error {
	if p != nil {
		e.Model, e.Tokens, e.Cost = p.Model, p.Tokens, p.Cost
	}
	if g == nil {
		return nil
	}
	l, err := g.book(true)
	if err != nil {
		return err
	}
	spent := func(rule, words string) error {
		e.Type, e.Rule, e.Why = audit.TypeDenied, rule, string(council.FaultBudget)
		return &SpentError{fmt.Sprintf("%s (rule: %s)", words, rule)}
	}
	day := g.policy.Limit(policy.PerDay)
	seq, err := l.Decide(func(d *audit.Day) (audit.Entry, error) {
		if rule, most := g.policy.Limit(policy.PerCall).Exceeded(e.Tokens, e.Cost); rule != "" {
			return audit.Entry{}, spent(rule, fmt.Sprintf("the call is estimated to take %d tokens and %s, and a call may "+
				"take %s", e.Tokens, e.Cost, most))
		}
		if day.CostRule != "" && d.Unknown > 0 {
			return audit.Entry{}, spent(day.CostRule, "what was spent in the last 24 hours is not known, so a bound of "+
				day.USD.String()+" cannot be held")
		}
		if rule, most := day.Exceeded(d.Tokens+e.Tokens, d.Cost.Plus(e.Cost)); rule != "" {
			return audit.Entry{}, spent(rule, fmt.Sprintf("%d tokens and %s were spent in the last 24 hours, the call is "+
				"estimated to take %d and %s more, and %s may be spent", d.Tokens, d.Cost, e.Tokens, e.Cost, most))
		}
		return e, nil
	})
	if short, ok := errors.AsType[*SpentError](err); ok {
		if _, err = l.Append(e); err == nil {
			return short
		}
	} else if err == nil && p != nil {
		p.mu.Lock()
		p.calls = append(p.calls, seq)
		p.mu.Unlock()
	}
	return unkept(err)
}

// Program permits a program with its arguments, and notes it. Errors: [*policy.RefusedError], [ErrLedger].
func (g *Gate) Program(ctx context.Context, command ...string) (process.Permit, error) {
	path, p := Find(command[0]), purposeOf(ctx)
	e := p.entry(audit.TypeProgram)
	e.What, e.Digest = path, council.Digest(strings.Join(command, "\x00"))
	err := g.check(&e, policy.Programs, path)
	if err == nil {
		_, err = g.Note(e)
	}
	if p.stop(err); err != nil {
		return process.Permit{}, err
	}
	return process.Permitted(), nil
}

// Find returns the absolute path of a program, or its name if it is not found.
func Find(program string) string {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return program
	}
	return filepath.ToSlash(path)
}

// Tool notes the call of a member's tool. The error is an [ErrLedger].
func (g *Gate) Tool(p *Purpose, tool, digest string) error {
	e := p.entry(audit.TypeTool)
	e.What, e.Digest = tool, digest
	_, err := g.Note(e)
	return err
}

// Client returns a client over a transport of the gate, or one around it. It follows no redirects, which forward keys.
func Client(over http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     cmp.Or(over, http.RoundTripper(refusing{})),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type refusing struct{}

func (refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	return nil, errors.New("this client was given no transport")
}

// Transport carries requests that the gate lets pass.
type Transport struct {
	*http.Transport
	gate *Gate
}

// Transport returns a transport for many concurrent members.
func (g *Gate) Transport() *Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 1024 // as many members as are asked at once keep their connections
	t.IdleConnTimeout = 30 * time.Second            // after a question to all at once; each has some 30 KB
	return &Transport{t, g}
}

// RoundTrip sends a request once it is in the ledger: as a call if its context is from [WithCall], else as a contact.
// The error is a [*policy.RefusedError], a [*SpentError], an [ErrLedger], or that of the connection.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.gate.pass(r); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return t.Transport.RoundTrip(r)
}

func (g *Gate) pass(r *http.Request) error {
	p, kind := purposeOf(r.Context()), audit.TypeContact
	if calls, _ := r.Context().Value(callingKey{}).(bool); calls {
		kind = audit.TypeCall
	}
	e := p.entry(kind)
	e.What = r.URL.Scheme + "://" + cmp.Or(r.URL.Host, r.Host) + r.URL.EscapedPath() // without parts that may be secret
	err := g.check(&e, policy.BaseURLs, r.URL.String())
	switch {
	case err != nil:
	case kind == audit.TypeCall:
		err = p.call(g, e)
	default:
		_, err = g.Note(e)
	}
	p.stop(err)
	return err
}

// Purpose describes the reason of requests and programs. It is safe for concurrent use, and may be nil.
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
	return WithContact(context.WithValue(ctx, purposeKey{}, p))
}

// WithCall returns a context whose requests may cost.
func WithCall(ctx context.Context) context.Context { return context.WithValue(ctx, callingKey{}, true) }

// WithContact returns a context whose requests cost nothing, such as those of a login.
func WithContact(ctx context.Context) context.Context {
	return context.WithValue(ctx, callingKey{}, false)
}

func purposeOf(ctx context.Context) *Purpose {
	p, _ := ctx.Value(purposeKey{}).(*Purpose)
	return p
}

func (p *Purpose) entry(t audit.Type) audit.Entry {
	e := audit.Entry{Type: t}
	if p != nil {
		e.Session, e.Ask, e.Member = p.Session, p.Ask, p.Member
	}
	return e
}

// Call notes a call that is not an HTTP request: that of a program. The error is a [*SpentError] or an [ErrLedger].
func (p *Purpose) Call(g *Gate, what string) error {
	e := p.entry(audit.TypeCall)
	e.What, e.Rule = what, "nothing forbids it"
	return p.call(g, e)
}

// stop keeps the first error of the gate.
func (p *Purpose) stop(err error) {
	if p == nil || err == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = cmp.Or(p.err, err)
}

// Err returns the first refusal of the gate, or nil.
func (p *Purpose) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Settle replaces the estimates of all calls since the last time: the last call gets the usage, the earlier ones, which
// the server refused, nothing. If a line cannot be written, the estimate remains, and the next call fails.
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
