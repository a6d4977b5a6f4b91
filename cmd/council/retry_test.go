package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/schedule"
)

// Sessions that are suspended at once read on in the ledger: each read all of it, a second for 25 MB, and held it.
func TestRetry_ThePlansOfARecordAreReadOnAndNotAnew(t *testing.T) {
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
