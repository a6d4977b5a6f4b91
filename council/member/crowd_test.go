package member

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// counter is a provider that serves a question once its Retry-After has passed, and counts every call.
type counter struct {
	mu     sync.Mutex
	calls  int
	asked  time.Duration // in all Retry-After together
	opens  map[string]time.Time
	source *rand.Rand
}

func (c *counter) Complete(_ context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	opens, known := c.opens[p.Digest]
	if known && !time.Now().Before(opens) {
		return prompt.Completion{Text: "x", Usage: council.Usage{Calls: 1}}, nil
	}
	after := time.Duration(1+c.source.IntN(60)) * time.Second
	if known {
		after = time.Until(opens) // it came too early: more calls than were needed
	}
	c.opens[p.Digest] = time.Now().Add(after)
	c.asked += after
	return prompt.Completion{}, &CallError{Fault: council.Fault{Kind: council.FaultRate}, Retryable: true,
		RetryAfter: after, Usage: council.Usage{Calls: 1}}
}

// A second layer of retries, or one that rounds the provider's wait up, would show in the calls or in the waiting.
func TestAThousandRateLimitedCallsWaitAsLongAsTheyWereAskedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 1000
		server := &counter{opens: map[string]time.Time{}, source: rand.New(rand.NewPCG(1, 2))}
		limiter := rate.NewLimiter(1000, 1)
		policy := DefaultRetryPolicy()
		policy.Jitter = rand.New(rand.NewPCG(3, 4)).Float64
		var mu sync.Mutex
		jitter := policy.Jitter
		policy.Jitter = func() float64 { mu.Lock(); defer mu.Unlock(); return jitter() }
		m := Retry(Limit(Timeout(server, Limits{Whole: time.Minute}, time.Now), limiter, time.Now), policy)

		waited := make([]time.Duration, calls)
		counted := make([]int, calls)
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() {
				start := time.Now()
				c, err := m.Complete(t.Context(), &prompt.Prompt{Digest: string(rune(i))})
				if err != nil {
					t.Error(err)
				}
				waited[i], counted[i] = time.Since(start), c.Usage.Calls
			})
		}
		all.Wait()
		var sum time.Duration
		usage := 0
		for i := range calls {
			sum += waited[i]
			usage += counted[i]
		}
		if server.calls != 2*calls || usage != 2*calls {
			t.Errorf("the server was called %d times and we count %d, for %d questions that it put off once each", server.calls,
				usage, calls)
		}
		if over := float64(sum)/float64(server.asked) - 1; over < 0 || over > 0.05 {
			t.Errorf("waited %s in all, where %s were asked for: %.1f %% more", sum, server.asked, 100*over)
		} else {
			t.Logf("%d calls waited %.2f %% longer than they were asked to", calls, 100*over)
		}
	})
}
