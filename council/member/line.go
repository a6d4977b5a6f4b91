package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// serverPatience is how long a server may leave all calls unanswered. Then its line fails calls for as long as
// resting.
const serverPatience = 10 * time.Minute

// Line is the queue before one server. It bounds the concurrent calls and admits waiting calls in order of arrival.
// Share one among all members on a server.
type Line struct {
	Server string           // for messages
	Now    func() time.Time // required

	mu      sync.Mutex
	most    int // calls at once; 0: any number
	named   bool
	held    int
	waiting []*waiter
	silent  time.Time // since when calls have been in hand and none was answered; zero: an answer came since
	hung    time.Time // until when no call is put
}

// waiter is a call that waits in a line.
type waiter struct{ called chan error }

// Most sets the number of concurrent calls; 0 is no bound. Of several named bounds the lowest counts, and an unnamed
// one gives way to them.
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

// Queue makes each call of m wait for its turn in l. The wait is not elapsed time. It belongs outside of [Timeout] and
// inside of [Retry].
func Queue(m Model, l *Line) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		if err := l.enter(ctx, p.View.Ask.Member); err != nil {
			return prompt.Completion{}, err
		}
		c, err := m.Complete(withBegun(ctx, l.noteResponse), p)
		return c, l.leave(ctx, err)
	})
}

// enter waits for the caller's turn. Its error is ctx's, that of a [Stop], or that the server was given up.
func (l *Line) enter(ctx context.Context, who council.MemberID) error {
	l.mu.Lock()
	if l.Now().Before(l.hung) {
		defer l.mu.Unlock()
		return l.givenUpError()
	}
	if l.most == 0 || l.held < l.most {
		l.hold()
		l.mu.Unlock()
		return nil
	}
	w := &waiter{make(chan error, 1)}
	l.waiting = append(l.waiting, w)
	before := l.held + len(l.waiting) - 1
	most := l.most
	l.mu.Unlock()
	why := fmt.Sprintf("its turn at %s, which is sent %d at a time (parallel); %d came before", l.Server, most, before)
	defer reportLongWait(ctx, reportWaitAfter, Wait{Member: who, Why: why})()
	return waitUnlessStopped(ctx, "while it waited for its turn", func(idle context.Context) error {
		select {
		case err := <-w.called:
			return err
		case <-idle.Done():
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(l.waiting, w); i >= 0 {
			l.waiting = slices.Delete(l.waiting, i, i+1)
		} else if <-w.called == nil { // its turn came in the same moment
			l.release()
		}
		return idle.Err()
	})
}

// hold gives a call its turn.
func (l *Line) hold() {
	if l.held++; l.silent.IsZero() {
		l.silent = l.Now()
	}
}

// release ends a turn and admits waiting calls.
func (l *Line) release() {
	l.held--
	for len(l.waiting) > 0 && (l.most == 0 || l.held < l.most) {
		l.hold()
		l.waiting[0].called <- nil
		l.waiting = l.waiting[1:]
	}
}

// noteResponse notes that the server responded.
func (l *Line) noteResponse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = l.Now()
}

// leave ends the turn of a call that ended with err. It returns err, not retryable once the server is given up.
func (l *Line) leave(ctx context.Context, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var call *CallError
	errors.As(err, &call)
	late := call != nil && call.Fault.Kind == council.FaultTimeout
	switch {
	case ctx.Err() != nil: // does not concern the server
	case !late:
		l.silent = time.Time{}
	case l.Now().Sub(l.silent) >= serverPatience:
		l.hung, l.silent = l.Now().Add(restTime), time.Time{}
		for _, w := range l.waiting {
			w.called <- l.givenUpError()
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
		l.silent = l.Now()
	}
	return err
}

// givenUpError returns the error of a call to a server that does not answer.
func (l *Line) givenUpError() error {
	words := fmt.Sprintf("%s answered nothing for %s, so this call was not put", l.Server, serverPatience)
	return &CallError{Fault: council.Fault{Kind: council.FaultTimeout, Message: Redact(words)}}
}

// Limit makes each call of m wait for l, which all members with one key share. The wait counts as elapsed time.
func Limit(m Model, l *rate.Limiter, now func() time.Time) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		waited, err := takeTurn(ctx, p, l, 1, "callsPerMinute", now)
		if err != nil {
			return prompt.Completion{}, err
		}
		return addWait(waited)(m.Complete(ctx, p))
	})
}

// LimitTokens is Limit for tokens: a call waits for the estimated tokens of its prompt, and afterwards the rest of its
// usage is taken from l.
func LimitTokens(m Model, l *rate.Limiter, now func() time.Time) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		expected := min(int(p.Bytes()/council.BytesPerToken), l.Burst())
		waited, err := takeTurn(ctx, p, l, expected, "tokensPerMinute", now)
		if err != nil {
			return prompt.Completion{}, err
		}
		c, err := m.Complete(ctx, p)
		used := c.Usage
		var call *CallError
		if errors.As(err, &call) {
			used = call.Usage
		}
		if took := int(used.Tokens()); took > 0 {
			l.ReserveN(now(), min(took-expected, l.Burst()))
		}
		return addWait(waited)(c, err)
	})
}

// takeTurn waits until l admits n and returns how long that took. setting names the limit in messages.
func takeTurn(ctx context.Context, p *prompt.Prompt, l *rate.Limiter, n int, setting string,
	now func() time.Time) (time.Duration, error) {
	start := now()
	turn := time.Duration((float64(n) - l.Tokens()) / float64(l.Limit()) * float64(time.Second))
	if turn > time.Second {
		reportWait(ctx, Wait{p.View.Ask.Member, "its turn under " + setting, turn})
	}
	err := waitUnlessStopped(ctx, "while it waited for its turn",
		func(idle context.Context) error { return l.WaitN(idle, n) })
	var call *CallError
	if err != nil && ctx.Err() == nil && !errors.As(err, &call) {
		words := fmt.Sprintf("our own limit, %s %g, does not admit the call in time", setting, float64(l.Limit())*60)
		err = &CallError{Fault: council.Fault{Kind: council.FaultRate, Message: words}}
	}
	return now().Sub(start), err
}

// addWait adds a wait before a call to the call's usage.
func addWait(waited time.Duration) func(prompt.Completion, error) (prompt.Completion, error) {
	before := council.Usage{ElapsedMS: waited.Milliseconds()}
	return func(c prompt.Completion, err error) (prompt.Completion, error) {
		c.Usage = before.Add(c.Usage)
		return c, addUsage(err, before)
	}
}

// addUsage adds earlier usage to that in a call's error.
func addUsage(err error, before council.Usage) error {
	var call *CallError
	if !errors.As(err, &call) || before == (council.Usage{}) {
		return err
	}
	sum := *call
	sum.Usage = before.Add(call.Usage)
	return &sum
}
