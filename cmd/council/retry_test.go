package main

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/schedule"
)

// Sessions that are suspended at once read on in the ledger: each read all of it, a second for 25 MB, and held it.
func TestThePlansOfARecordAreReadOnAndNotAnew(t *testing.T) {
	var out bytes.Buffer
	a := testOnlyApp(&out, &out)
	defer a.World.Close()
	root := check.Get(recorder.OpenRoot(t.TempDir()))(t)
	defer root.Close()
	var first *schedule.Plans
	look := func(since time.Time, do func(*schedule.Plans)) {
		t.Helper()
		check.OK(t, schedule.WithPlans(a.World, root, since, func(p *schedule.Plans) error { do(p); return nil }))
	}
	look(a.Now(), func(p *schedule.Plans) { first = p })
	fault := council.Fault{Kind: council.FaultTransport, Message: "down"}
	if err := a.Enter(root, audit.Queue{}.RetryEntry("a", fault, 3, a.Now())); err != nil { // by another
		t.Fatal(err)
	}
	look(a.Now(), func(p *schedule.Plans) {
		if p != first || p.Queue["a"] == nil {
			t.Errorf("read anew: %v; the queue is %v", p != first, p.Queue)
		}
	})
	look(a.Now().Add(-time.Hour), func(p *schedule.Plans) {
		if p == first || p.Queue["a"] == nil {
			t.Errorf("what came before is not read: %v", p.Queue)
		}
	})
}

// refuseUntil lets the market's server be down until a time.
func (h *house) refuseUntil(t time.Time, refuse func(http.ResponseWriter)) {
	h.market.front = func(w http.ResponseWriter, _ marketCall) bool {
		if h.now().Before(t) {
			refuse(w)
			return true
		}
		return false
	}
}

// A wait that a provider asked for was used for the tries of one call, and forgotten with the session's suspension.
func TestARateLimitIsWaitedForAcrossRestarts(t *testing.T) {
	h := newHouse(t, newMarket(t, 3))
	var calls atomic.Int64
	h.refuseUntil(steadyNow().Add(20*time.Minute), func(w http.ResponseWriter) {
		calls.Add(1)
		w.Header().Set("Retry-After", "700")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	h.does(cli.ExitSuspended, "convene", "Shall we?", "--quiet", "--config", h.config())
	h.says(&h.errs, "it is due at ")
	put := calls.Load()
	h.waited.Add(int64(690 * time.Second))
	h.does(cli.ExitOK, "schedule", "retry")
	h.says(&h.out, "0 sessions were tried again")
	if calls.Load() != put {
		t.Errorf("the server was asked %d times before it wanted to be", calls.Load()-put)
	}
	h.waited.Add(int64(11 * time.Second))
	h.does(cli.ExitOK, "schedule", "retry")
	h.says(&h.out, "1 session was tried again")
	if calls.Load() == put {
		t.Error("the server was not asked when it wanted to be")
	}
	h.does(cli.ExitOK, "schedule", "queue")
	h.says(&h.out, "waiting", "1 of 8", "rate")
	h.waited.Add(int64(time.Hour))
	h.does(cli.ExitOK, "schedule", "retry")
	h.does(cli.ExitOK, "schedule", "retry")
	h.says(&h.out, "0 sessions were tried again")
	if fired := count(h.entries(audit.TypeRetry), "fired"); fired != 2 {
		t.Errorf("it was tried %d times", fired)
	}
	h.does(cli.ExitOK, "verify")
}

func TestWhatAPersonHasToSeeToIsNotTriedAgain(t *testing.T) {
	h := newHouse(t, newMarket(t, 3))
	var revoked atomic.Bool
	h.refuseUntil(steadyNow().Add(time.Hour), func(w http.ResponseWriter) {
		if revoked.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	h.does(cli.ExitSuspended, "convene", "Shall we?", "--quiet", "--config", h.config())
	revoked.Store(true)
	h.does(cli.ExitSuspended, "resume", "--quiet")
	h.does(cli.ExitOK, "schedule", "queue")
	h.says(&h.out, "No session waits")
	if words := h.entries(audit.TypeRetry); strings.Join(words, ", ") != "queued failed, dropped auth" {
		t.Errorf("%v", words)
	}
}
