package member

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

const serverPatience = 10 * time.Minute // for which a server may answer no call before it is skipped for [restTime]

// Line is the queue before one server, shared by its members. It bounds concurrent calls, and admits them in order.
type Line struct {
	Server string           // for messages
	Now    func() time.Time // required

	mu          sync.Mutex
	most        int // calls at once; 0: any number
	named       bool
	held        int
	waiting     []chan error // each is sent nil when its turn has come
	silentSince time.Time    // since when calls have been in hand and none was answered; zero: an answer came since
	skipUntil   time.Time    // until when no call is put
}

// Most sets the number of concurrent calls; 0 is no bound. The lowest named bound holds, else the last unnamed one.
func (l *Line) Most(most int, named bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.named && named:
		l.most = min(l.most, most)
	case !l.named:
		l.most, l.named = most, named
	}
}

// Queue makes each call of m wait for its turn in l, inside of [Retry] and outside of [Timeout]. The wait has no usage.
func Queue(m Model, l *Line) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		if err := l.enter(ctx, p.View.Ask.Member); err != nil {
			return prompt.Completion{}, err
		}
		begun := withBegun(ctx, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.silentSince = l.Now()
		})
		c, err := m.Complete(begun, p)
		return c, l.leave(ctx, err)
	})
}

// enter waits for the caller's turn. Its error is ctx's, that of a [Stop], or that the server was given up.
func (l *Line) enter(ctx context.Context, who council.MemberID) error {
	l.mu.Lock()
	if l.Now().Before(l.skipUntil) {
		defer l.mu.Unlock()
		return l.givenUpError()
	}
	if l.most == 0 || l.held < l.most {
		l.hold()
		l.mu.Unlock()
		return nil
	}
	w := make(chan error, 1)
	l.waiting = append(l.waiting, w)
	why := fmt.Sprintf("its turn at %s, which is sent %d at a time (parallel); %d came before", l.Server, l.most,
		l.held+len(l.waiting)-1)
	l.mu.Unlock()
	defer reportLongWait(ctx, reportWaitAfter, Wait{Member: who, Why: why})()
	return waitUnlessStopped(ctx, "while it waited for its turn", func(idle context.Context) error {
		select {
		case err := <-w:
			return err
		case <-idle.Done():
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(l.waiting, w); i >= 0 {
			l.waiting = slices.Delete(l.waiting, i, i+1)
		} else if <-w == nil { // its turn came in the same moment
			l.release()
		}
		return idle.Err()
	})
}

func (l *Line) hold() {
	if l.held++; l.silentSince.IsZero() {
		l.silentSince = l.Now()
	}
}

func (l *Line) release() {
	l.held--
	for len(l.waiting) > 0 && (l.most == 0 || l.held < l.most) {
		l.hold()
		l.waiting[0] <- nil
		l.waiting = l.waiting[1:]
	}
}

// leave ends the turn of a call that ended with err. It returns err, not retryable once the server is given up.
func (l *Line) leave(ctx context.Context, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	call, _ := errors.AsType[*CallError](err)
	late := call != nil && call.Fault.Kind == council.FaultTimeout
	switch {
	case ctx.Err() != nil: // does not concern the server
	case !late:
		l.silentSince = time.Time{}
	case l.Now().Sub(l.silentSince) >= serverPatience:
		l.skipUntil, l.silentSince = l.Now().Add(restTime), time.Time{}
		for _, w := range l.waiting {
			w <- l.givenUpError()
		}
		l.waiting = nil
		last := *call
		last.Retryable = false
		last.Fault.Message = Redact(fmt.Sprintf("%s; it was given up, because it answered nothing for %s", call.Fault.Message,
			serverPatience))
		err = &last
	}
	l.release()
	if !late && ctx.Err() == nil && l.held > 0 {
		l.silentSince = l.Now()
	}
	return err
}

func (l *Line) givenUpError() error {
	return Fail(council.FaultTimeout, "%s answered nothing for %s, so this call was not put", l.Server, serverPatience)
}

// Limit makes each call of m wait for l, which all members with one key share. The wait counts as elapsed time.
func Limit(m Model, l *rate.Limiter, now func() time.Time) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		return limited(ctx, m, p, l, 1, "callsPerMinute", now)
	})
}

// LimitTokens is Limit for tokens: a call waits for those of its prompt, and the rest of its usage is taken later.
func LimitTokens(m Model, l *rate.Limiter, now func() time.Time) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		expected := min(int(p.Bytes()/council.BytesPerToken), l.Burst())
		c, err := limited(ctx, m, p, l, expected, "tokensPerMinute", now)
		used := c.Usage
		if call, ok := errors.AsType[*CallError](err); ok {
			used = call.Usage
		}
		if took := int(used.Tokens()); took > 0 {
			l.ReserveN(now(), min(took-expected, l.Burst()))
		}
		return c, err
	})
}

// limited calls m as soon as l admits n. setting names the limit in messages.
func limited(ctx context.Context, m Model, p *prompt.Prompt, l *rate.Limiter, n int, setting string,
	now func() time.Time) (prompt.Completion, error) {
	start := now()
	turn := time.Duration((float64(n) - l.Tokens()) / float64(l.Limit()) * float64(time.Second))
	if turn > time.Second {
		reportWait(ctx, Wait{p.View.Ask.Member, "its turn under " + setting, turn})
	}
	err := waitUnlessStopped(ctx, "while it waited for its turn",
		func(idle context.Context) error { return l.WaitN(idle, n) })
	if _, stopped := errors.AsType[*CallError](err); err != nil && ctx.Err() == nil && !stopped {
		err = Fail(council.FaultRate, "our own limit, %s %g, does not admit the call in time", setting,
			float64(l.Limit())*60)
	}
	if err != nil {
		return prompt.Completion{}, err
	}
	return callAfter(ctx, now().Sub(start), m, p)
}

// callAfter calls m after a wait, which is part of the usage.
func callAfter(ctx context.Context, waited time.Duration, m Model, p *prompt.Prompt) (prompt.Completion, error) {
	before := council.Usage{ElapsedMS: waited.Milliseconds()}
	c, err := m.Complete(ctx, p)
	c.Usage = before.Add(c.Usage)
	return c, addUsage(err, before)
}

// addUsage adds earlier usage to that in a call's error.
func addUsage(err error, before council.Usage) error {
	call, ok := errors.AsType[*CallError](err)
	if !ok || before == (council.Usage{}) {
		return err
	}
	sum := *call
	sum.Usage = before.Add(call.Usage)
	return &sum
}

const (
	minSharedBytes = 16 << 10        // of a shared part that is worth the wait for its first copy: some 4,000 tokens
	prefixLifetime = 4 * time.Minute // for which providers keep an unused prefix: five minutes, less a margin
	longestLead    = time.Minute     // for which the others wait for a first word
)

// Prefixes lets members of one model share the beginning of their prompts. A provider's cache serves it only once the
// first reply has begun, so one call goes first and the others wait for its first word. Share one among all members.
type Prefixes struct {
	Now func() time.Time // required

	known sync.Map // a *prefix by place and shared part
}

// prefix is what the calls with one prefix to one place share.
type prefix struct {
	now   func() time.Time
	mu    sync.Mutex
	lead  chan struct{} // closed when the call that goes first has begun its reply, or has failed; nil: none goes first
	until time.Time     // how long the provider keeps it
}

// Share makes calls of m wait, as elapsed time, for the first call with their prefix to place (model, server and key).
func (s *Prefixes) Share(m Model, place string) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		if len(p.System.Shared) < minSharedBytes {
			return m.Complete(ctx, p)
		}
		start := s.Now()
		kept, _ := s.known.LoadOrStore([2]string{place, p.System.Shared}, &prefix{now: s.Now})
		state := kept.(*prefix)
		over := reportLongWait(ctx, reportWaitAfter, Wait{p.View.Ask.Member,
			"the first word to another member, which brings what all are told", longestLead})
		var lead chan struct{}
		err := waitUnlessStopped(ctx, "while it waited for another member's first word",
			func(idle context.Context) (err error) {
				lead, err = state.enter(idle)
				return err
			})
		over()
		if err != nil {
			return prompt.Completion{}, err
		}
		waited := s.Now().Sub(start)
		if lead != nil {
			ctx = withBegun(ctx, func() { state.settle(lead, true) })
		}
		c, err := callAfter(ctx, waited, m, p)
		state.settle(lead, err == nil)
		return c, err
	})
}

// enter returns when the provider has the prefix, or at once with a lead for the caller that goes first.
func (x *prefix) enter(ctx context.Context) (lead chan struct{}, err error) {
	patience := time.NewTimer(longestLead)
	defer patience.Stop()
	for {
		x.mu.Lock()
		there := !x.now().After(x.until)
		before := x.lead
		if !there && before == nil {
			lead = make(chan struct{})
			x.lead = lead
		}
		x.mu.Unlock()
		if there || lead != nil {
			return lead, nil
		}
		select {
		case <-before:
		case <-patience.C:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// settle records whether a call brought the prefix, and ends its lead.
func (x *prefix) settle(lead chan struct{}, served bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if served {
		x.until = x.now().Add(prefixLifetime)
	}
	if lead != nil && x.lead == lead {
		close(lead)
		x.lead = nil
	}
}

// ErrNoKey: a credential that the charter names is not set or cannot be used. The message has the remedy.
var ErrNoKey = errors.New("no usable credential")

// MissingVariable returns the [ErrNoKey] of a missing environment variable; instead is an alternative to exporting it.
func MissingVariable(who, variable, instead string) error {
	return fmt.Errorf("%w: %s needs the environment variable %s, which is not set: export it, or %s", ErrNoKey, who,
		variable, instead)
}

var reference = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// Variables lists the environment variables that the value of a header names as ${NAME}.
func Variables(header string) []string {
	named := reference.FindAllString(header, -1)
	return council.Map(named, func(name string) string { return strings.Trim(name, "${}") })
}

// Headers returns a model's headers with each ${VAR} replaced, and the replacements, which are secrets. [ErrNoKey].
func Headers(m council.Model, getenv func(string) string) (headers map[string]string, secrets []string, err error) {
	headers = make(map[string]string, len(m.Headers))
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		var missing string
		headers[name] = reference.ReplaceAllStringFunc(m.Headers[name], func(named string) string {
			variable := strings.Trim(named, "${}")
			value := strings.TrimSpace(getenv(variable))
			if value == "" {
				missing = variable
			}
			secrets = append(secrets, value)
			return value
		})
		if missing != "" {
			return nil, nil, MissingVariable("the header "+name, missing, "remove the header")
		}
	}
	return headers, secrets, nil
}

// Loopback reports whether a base URL names this machine.
func Loopback(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.IsLoopback()
}

// ServerKind returns the kind of a model's server. The provider openai at another address may be any compatible
// server. Of an unknown server, prompt caching is assumed to be paid for, unless it is on this machine.
func ServerKind(m council.Model) council.MemberKind {
	if m.BaseURL != "" && m.Provider == "openai" {
		m.Provider = council.ProviderCompatible
	}
	k := m.Kind()
	if k.Provider == council.ProviderCompatible {
		k.SchemaIsPrompt = !Loopback(m.BaseURL)
	}
	return k
}
