package member

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func TestTimeout(t *testing.T) {
	tests := []struct {
		name  string
		step  step
		limit time.Duration
		took  time.Duration
		fault council.FaultKind
	}{
		{"an answer in time", step{text: "x", takes: time.Second}, 2 * time.Second, time.Second, ""},
		{"an answer too late", step{text: "x", takes: time.Hour}, 2 * time.Second, 2 * time.Second, council.FaultTimeout},
		{"a fault in time", fails(council.FaultAuth, false, 0), 2 * time.Second, 0, council.FaultAuth},
		{"no limit", step{text: "x", takes: time.Hour}, 0, time.Hour, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := Timeout(&fake{steps: []step{test.step}}, Limits{Whole: test.limit}, time.Now).Complete(t.Context(),
					&prompt.Prompt{})
				if kindOf(err) != test.fault || time.Since(start) != test.took {
					t.Errorf("%v after %s", err, time.Since(start))
				}
				if test.fault == council.FaultTimeout {
					if call := callErrorOf(err); !call.Retryable || call.Usage != (council.Usage{Calls: 1, ElapsedMS: 2000}) {
						t.Errorf("%+v", call)
					}
				}
			})
		})
	}
}

func TestDecorators_TimeoutIsNotACancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := Timeout(&fake{steps: []step{{takes: time.Hour}}}, Limits{Begin: time.Minute, Whole: time.Minute},
			time.Now).Complete(ctx, &prompt.Prompt{})
		check.ErrorIs(t, "the session's own end is not a fault of the model", context.DeadlineExceeded, err)
	})
}

// A prompt of 900 bytes is taken to have 300 tokens.
func TestLimitTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := rate.NewLimiter(rate.Every(time.Second), 600)
		long := &prompt.Prompt{View: council.View{},
			Messages: []prompt.Message{{Role: prompt.User, Content: strings.Repeat("a", 900)}}}
		model := LimitTokens(ModelFunc(func(context.Context, *prompt.Prompt) (prompt.Completion, error) {
			return prompt.Completion{Usage: council.Usage{InputTokens: 200, OutputTokens: 300}}, nil
		}), shared, time.Now)
		start := time.Now()
		for i, want := range []time.Duration{0, 200 * time.Second, 700 * time.Second} { // each takes 500 in the end
			check.Get(model.Complete(t.Context(), long))(t)
			check.Is(t, fmt.Sprint("the time of call ", i+1), want, time.Since(start))
		}
		long.Messages[0].Content = strings.Repeat("a", 9_000) // more than is ever let through at once
		check.Get(model.Complete(t.Context(), long))(t)
		check.Is(t, "the time", 1500*time.Second, time.Since(start))
	})
}

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := rate.NewLimiter(rate.Every(10*time.Second), 1)
		one, two := Limit(&fake{steps: []step{{text: "x"}}}, shared, time.Now),
			Limit(&fake{steps: []step{fails(council.FaultAuth, false, 0)}}, shared, time.Now)
		start := time.Now()
		check.Is(t, "the wait of the first", 0, check.Get(one.Complete(t.Context(), &prompt.Prompt{}))(t).Usage.ElapsedMS)
		_, err := two.Complete(t.Context(), &prompt.Prompt{})
		if kindOf(err) != council.FaultAuth || callErrorOf(err).Usage.ElapsedMS != 10_000 ||
			time.Since(start) != 10*time.Second {
			t.Errorf("%v, %+v after %s", err, callErrorOf(err).Usage, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		check.ErrorIs(t, "a wait that is cancelled", context.Canceled, check.Err(one.Complete(ctx, &prompt.Prompt{})))
		bounded, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		check.Is(t, "a wait with an end", council.FaultRate, kindOf(check.Err(one.Complete(bounded, &prompt.Prompt{}))))
	})
}

func TestTaped(t *testing.T) {
	known := map[string]prompt.Completion{"q": {Text: "from the tape", Usage: council.Usage{Calls: 1, InputTokens: 7}}}
	tests := []struct {
		name  string
		tape  tape
		step  step
		calls int
		text  string
		fault council.FaultKind
		notes []string
	}{
		{"a new question", tape{}, step{text: "x"}, 1, "x", "", []string{"looked for q", "asked q", "answered q"}},
		{"a question that was answered before", tape{replies: known}, step{text: "x"}, 0, "from the tape", "",
			[]string{"recalled q"}},
		{"a fault", tape{}, fails(council.FaultRate, true, 0), 1, "", council.FaultRate,
			[]string{"looked for q", "asked q", "failed q: rate"}},
		{"a tape that cannot be read", tape{broken: "looked for q"}, step{text: "x"}, 0, "", "", []string{"looked for q"}},
		{"a question that cannot be written", tape{broken: "asked q"}, step{text: "x"}, 0, "", "",
			[]string{"looked for q", "asked q"}},
		{"an answer that cannot be written", tape{broken: "answered q"}, step{text: "x"}, 1, "", "",
			[]string{"looked for q", "asked q", "answered q"}},
		{"a fault that cannot be written", tape{broken: "failed q: auth"}, fails(council.FaultAuth, false, 0), 1, "", "",
			[]string{"looked for q", "asked q", "failed q: auth"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{steps: []step{test.step}}
			c, err := WithCallLog(f, &test.tape).Complete(t.Context(), &prompt.Prompt{Digest: "q"})
			if len(f.asked) != test.calls || c.Text != test.text || kindOf(err) != test.fault {
				t.Errorf("%d calls, %q, %v", len(f.asked), c.Text, err)
			}
			check.Equal(t, "it", test.notes, test.tape.notes)
			if _, ok := errors.AsType[*CallLogError](err); ok != (test.tape.broken != "") {
				t.Errorf("a run must not go on without its tape: %v", err)
			}
			if f.steps[0].err != nil && !strings.Contains(err.Error(), "the provider's words") {
				t.Errorf("the provider's words are lost: %v", err)
			}
		})
	}
	t.Run("cancelled before it is asked", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var tp tape
		if _, err := WithCallLog(&fake{steps: []step{{text: "x"}}}, &tp).Complete(ctx,
			&prompt.Prompt{Digest: "q"}); !errors.Is(err,
			context.Canceled) || len(tp.notes) != 1 {
			t.Errorf("%v, %q", err, tp.notes)
		}
	})
	t.Run("cancelled while it is asked leaves the question open: nobody knows whether it is billed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var tp tape
			_, err := WithCallLog(&fake{steps: []step{{takes: time.Hour}}}, &tp).Complete(ctx, &prompt.Prompt{Digest: "q"})
			if !errors.Is(err, context.DeadlineExceeded) || len(tp.notes) != 2 {
				t.Errorf("%v, %q", err, tp.notes)
			}
		})
	})
	t.Run("one question on the tape covers all its tries", func(t *testing.T) {
		var tp tape
		policy := Policy{Tries: 3, Patience: time.Hour, Sleep: func(context.Context, time.Duration) error { return nil }}
		f := &fake{steps: []step{fails(council.FaultTransport, true, 0), {text: "x"}}}
		c, err := WithCallLog(Retry(f, policy), &tp).Complete(t.Context(), &prompt.Prompt{Digest: "q"})
		if err != nil || c.Usage.Calls != 2 || tp.replies["q"].Usage.Calls != 2 || len(tp.notes) != 3 {
			t.Errorf("%+v, %v, %q", c, err, tp.notes)
		}
	})
}

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
func TestDecorators_AThousandRateLimitedCallsWaitAsLongAsTheyWereAskedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 1000
		server := &counter{opens: map[string]time.Time{}, source: rand.New(rand.NewPCG(1, 2))}
		limiter := rate.NewLimiter(1000, 1)
		policy := DefaultRetryPolicy()
		var drawing sync.Mutex
		source := rand.New(rand.NewPCG(3, 4))
		policy.Jitter = func() float64 { drawing.Lock(); defer drawing.Unlock(); return source.Float64() }
		m := Retry(Limit(Timeout(server, Limits{Whole: time.Minute}, time.Now), limiter, time.Now), policy)
		var mu sync.Mutex
		var sum time.Duration
		usage := 0
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() {
				start := time.Now()
				c, err := m.Complete(t.Context(), &prompt.Prompt{Digest: string(rune(i))})
				mu.Lock()
				defer mu.Unlock()
				check.ErrorIs(t, "it", nil, err)
				sum += time.Since(start)
				usage += c.Usage.Calls
			})
		}
		all.Wait()
		check.Is(t, "calls of the server, two for each question", 2*calls, server.calls)
		check.Is(t, "calls as we count them", 2*calls, usage)
		if over := float64(sum)/float64(server.asked) - 1; over < 0 || over > 0.05 {
			t.Errorf("waited %s in all, where %s were asked for: %.1f %% more", sum, server.asked, 100*over)
		}
	})
}

func TestRetry(t *testing.T) {
	policy := Policy{Tries: 4, Base: time.Second, Longest: 3 * time.Second, Patience: 20 * time.Second}
	tests := []struct {
		name   string
		steps  []step
		calls  int
		waited time.Duration
		fault  council.FaultKind // "" means an answer
		words  string
	}{
		{"an answer at once", []step{{text: "x"}}, 1, 0, "", ""},
		{"an answer after two faults", []step{fails(council.FaultTransport, true, 0), fails(council.FaultTransport, true, 0),
			{text: "x"}}, 3, 3 * time.Second, "", ""},
		{"the wait that the provider asks for", []step{fails(council.FaultRate, true, 12*time.Second), {text: "x"}}, 2,
			12 * time.Second, "", ""},
		{"a fault that will not cure", []step{fails(council.FaultAuth, false, 0)}, 1, 0, council.FaultAuth,
			"the provider's words"},
		{"no more tries", []step{fails(council.FaultTransport, true, 0)}, 4, 6 * time.Second, council.FaultTransport,
			"(tried 4 times)"},
		{"a wait longer than the patience", []step{fails(council.FaultRate, true, time.Hour)}, 1, 0, council.FaultRate,
			"asks to wait 1h0m0s; at most 20s"},
		{"a wait of decades", []step{fails(council.FaultRate, true, 1_000_000_000*time.Second)}, 1, 0, council.FaultRate,
			"asks to wait 11574 days; at most 20s"},
		{"waits that add up to more", []step{fails(council.FaultRate, true, 12*time.Second)}, 2, 12 * time.Second,
			council.FaultRate, "a further wait of 12s would exceed the 20s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{steps: test.steps}
				start := time.Now()
				c, err := Retry(f, policy).Complete(t.Context(), &prompt.Prompt{})
				if len(f.asked) != test.calls || time.Since(start) != test.waited {
					t.Errorf("%d calls in %s, want %d in %s", len(f.asked), time.Since(start), test.calls, test.waited)
				}
				if kindOf(err) != test.fault {
					t.Fatalf("%v", err)
				}
				usage := c.Usage
				if err != nil {
					usage = callErrorOf(err).Usage
					if !strings.Contains(err.Error(), test.words) {
						t.Errorf("%v", err)
					}
				}
				if usage.Calls != test.calls || usage.ElapsedMS != test.waited.Milliseconds() {
					t.Errorf("%+v", usage)
				}
			})
		})
	}
}

func TestRetry_EndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		f := &fake{steps: []step{fails(council.FaultTransport, true, 0)}}
		_, err := Retry(f, DefaultRetryPolicy()).Complete(ctx, &prompt.Prompt{})
		if !errors.Is(err, context.DeadlineExceeded) || len(f.asked) != 1 {
			t.Errorf("%v after %d calls", err, len(f.asked))
		}
	})
	t.Run("a fault in a cancelled context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := &fake{steps: []step{fails(council.FaultTransport, true, 0)}}
		cancelling := Policy{Tries: 9, Patience: time.Hour,
			Sleep: func(context.Context, time.Duration) error { cancel(); return nil }}
		if _, err := Retry(f, cancelling).Complete(ctx, &prompt.Prompt{}); !errors.Is(err, context.Canceled) ||
			len(f.asked) != 2 {
			t.Errorf("%v after %d calls", err, len(f.asked))
		}
	})
}

func TestRetry_WaitsStayWithinTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			Base:    time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(t, "base")),
			Longest: time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "longest")),
			Jitter:  func() float64 { return rapid.Float64Range(0, 0.999).Draw(t, "jitter") },
		}
		try := rapid.IntRange(1, 200).Draw(t, "try")
		if w := p.wait(try, 0); w <= 0 || float64(w) > 1.5*float64(max(p.Longest, p.Base)) {
			t.Fatalf("try %d waits %s", try, w)
		}
		asked := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "asked"))
		if w := p.wait(try, asked); w < asked || float64(w) > (1+spread)*float64(asked)+1 {
			t.Fatalf("asked for %s, waits %s", asked, w)
		}
	})
}
