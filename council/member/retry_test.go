package member

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

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
