package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// impatient runs a command whose waits between the tries of a call take no time, and counts them.
func (tr *trial) impatient(waits *atomic.Int64, args ...string) int {
	tr.layer = nil
	tr.out.Reset()
	tr.errs.Reset()
	a := tr.app()
	a.Wait = func(context.Context, time.Duration) error { waits.Add(1); return nil }
	return runLine(a, context.Background(), append(args, "--root", tr.root()))
}

// finishes resumes a suspended session, and holds it against its words and its bill.
func (tr *trial) finishes(kind council.FaultKind, words string, flags ...string) {
	tr.Helper()
	tr.wants(tr.run(nil, "sessions"), cli.ExitOK)
	if line := tr.out.String(); !strings.Contains(line, "suspended ("+string(kind)+": ") ||
		!strings.Contains(line, words) {
		tr.Errorf("the list does not say why it stands still, %q:\n%s", words, line)
	}
	tr.wants(tr.run(nil, append([]string{"resume", "--quiet"}, flags...)...), cli.ExitOK)
	if _, again := tr.market.bill(tr.key); len(again) != 0 {
		tr.Errorf("bought again: %v", again)
	}
	tr.wants(tr.run(nil, "verify"), cli.ExitOK)
}

// TestSession_SuspendedByTroubleIsResumedAndPaysForNothingTwice lets every call fail from the 11th on.
func TestSession_SuspendedByTroubleIsResumedAndPaysForNothingTwice(t *testing.T) {
	refuse := func(status int, header, value, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set(header, value)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, test := range map[string]struct {
		trouble func(http.ResponseWriter)
		kind    council.FaultKind
		words   string
		tries   bool // it is tried again
	}{
		"an outage": {func(w http.ResponseWriter) {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				c.Close()
			}
		}, council.FaultTransport, "tried 6 times", true},
		"a server that is overloaded": {refuse(503, "X-A", "b", `{"error":{"message":"The engine is overloaded."}}`),
			council.FaultFailed, "The engine is overloaded", true},
		"a rate limit beyond patience": {refuse(429, "Retry-After", "3600", `{"error":{"message":"Slow down, please."}}`),
			council.FaultRate, "Slow down, please. (the provider asks to wait 1h0m0s; at most 4m0s was allowed)", false},
		"a key that was withdrawn": {refuse(401, "X-A", "b",
			`{"error":{"message":"The key crash-key-0123456789 was withdrawn."}}`),
			council.FaultAuth, "was withdrawn", false},
		"a model that is gone": {refuse(404, "X-A", "b",
			`{"error":{"message":"The model m1 does not exist.","code":"model_not_found"}}`),
			council.FaultModelMissing, "does not exist", false},
		"spent credit": {refuse(402, "X-A", "b", `{"error":{"message":"Insufficient credits."}}`),
			council.FaultBilling, "Insufficient credits", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, 3)
			var calls, waits atomic.Int64
			var open atomic.Bool
			m.front = func(w http.ResponseWriter, _ marketCall) bool {
				if open.Load() || calls.Add(1) <= 10 {
					return false
				}
				test.trouble(w)
				return true
			}
			tr := m.trial(t, t.TempDir(), "crash-key-0123456789")
			tr.wants(tr.impatient(&waits, "convene", "Shall we?", "--quiet", "--config", tr.config()), cli.ExitSuspended)
			if (waits.Load() > 0) != test.tries {
				t.Errorf("it waited %d times", waits.Load())
			}
			check.NeverSays(t, tr.errs.String(), tr.key)
			open.Store(true)
			tr.finishes(test.kind, test.words)
			check.NeverSays(t, readAll(t, tr.root()), tr.key)
		})
	}
}

// heard tells when the command has said that it stops.
type heard struct {
	io.Writer
	stopping chan struct{}
}

func (h *heard) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "Stopping.") {
		close(h.stopping)
	}
	return h.Writer.Write(p)
}

// TestCtrlCFinishesWhatIsInHand: the first one waits for the calls that are under way, the second cuts them off. Either
// way resume finishes the session; what was cut off is in doubt, and what was waited for is not.
func TestCtrlCFinishesWhatIsInHand(t *testing.T) {
	for _, twice := range []bool{false, true} {
		m := newMarket(t, 3)
		tr := m.trial(t, t.TempDir(), "ctrl-c")
		h := &heard{&tr.errs, make(chan struct{})}
		var pressed atomic.Bool
		m.front = func(_ http.ResponseWriter, g marketCall) bool {
			if g.contract != "reply_turn" || g.model != "m2" || !pressed.CompareAndSwap(false, true) {
				return false
			}
			tr.signals <- os.Interrupt
			<-h.stopping
			if twice {
				tr.signals <- os.Interrupt
				<-g.Context().Done() // cut off, and nobody can say whether it is billed
			}
			return false
		}
		a := tr.app()
		a.Errs = h
		args := []string{"convene", "Shall we?", "--quiet", "--config", tr.config(), "--root", tr.root()}
		tr.wants(runLine(a, t.Context(), args), cli.ExitSuspended)
		if words := tr.errs.String(); !strings.Contains(words, "Waiting for m2: ") ||
			strings.Contains(words, "context canceled") {
			t.Errorf("it does not say what it waits for, or what became of it:\n%s", words)
		}
		if !twice {
			tr.finishes(council.FaultCancelled, "interrupted")
			continue
		}
		tr.wants(tr.run(nil, "resume", "--quiet"), cli.ExitOK)
		check.Says(t, tr.errs.String(), "  turn of m2 (")
		tr.wants(tr.run(nil, "verify"), cli.ExitOK)
	}
}

// A session that waited as long as the servers had asked went on waiting after Ctrl-C, with nothing in hand.
func TestCtrlCEndsAWaitWithNothingInHand(t *testing.T) {
	m := newMarket(t, 3)
	var open atomic.Bool
	m.front = func(w http.ResponseWriter, _ marketCall) bool {
		if !open.Load() {
			w.Header().Set("Retry-After", "100")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return !open.Load()
	}
	tr := m.trial(t, t.TempDir(), "waiting")
	a := tr.app()
	var waits atomic.Int64
	a.Wait = func(ctx context.Context, _ time.Duration) error {
		if waits.Add(1) == 3 {
			tr.signals <- syscall.SIGTERM
		}
		<-ctx.Done()
		return ctx.Err()
	}
	args := []string{"convene", "Shall we?", "--quiet", "--config", tr.config(), "--root", tr.root()}
	tr.wants(runLine(a, t.Context(), args), cli.ExitSuspended)
	if words := tr.errs.String(); !strings.Contains(words, "Stopping. No call is in hand.") {
		t.Errorf("it says:\n%s", words)
	}
	open.Store(true)
	tr.finishes(council.FaultCancelled, "interrupted while it waited to try again: rate: ")
	check.Is(t, "resume has doubts", "", tr.errs.String())
}
