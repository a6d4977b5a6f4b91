package audit

import (
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// desk is a ledger in memory with a clock that tests set.
type desk struct {
	queue Queue
	now   time.Time
	seq   int64
}

func newDesk() *desk {
	return &desk{queue: Queue{}, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
}

func (d *desk) note(e Entry) {
	d.seq++
	e.Seq, e.At = d.seq, d.now
	d.queue.Apply(e)
}

func (d *desk) suspend(id council.SessionID, kind council.FaultKind, after int64, events int) {
	d.note(d.queue.RetryEntry(id, council.Fault{Kind: kind, RetryAfterSeconds: after}, events, d.now))
}

// next notes the next entry, and returns its action; "" when nothing is to be done.
func (d *desk) next() string {
	e, ok := d.queue.Next(d.now, func(council.SessionID) bool { return false })
	if !ok {
		return ""
	}
	d.note(e)
	return e.Action
}

func (d *desk) wantsDue(t *testing.T, after time.Duration) {
	t.Helper()
	if due := d.queue.Soonest(); due.Sub(d.now) != after {
		t.Errorf("due after %s, not %s", due.Sub(d.now), after)
	}
}

func TestQueue_BacksOffAndParksAfterEightTries(t *testing.T) {
	d := newDesk()
	events := 10
	for _, wait := range []time.Duration{10, 20, 40, 80, 160, 300, 300, 300} {
		d.suspend("s", council.FaultTransport, 0, events)
		d.wantsDue(t, wait*time.Second)
		d.now = d.now.Add(wait*time.Second - 1)
		check.Is(t, "before it is due", "", d.next())
		d.now = d.now.Add(1)
		check.Is(t, "when it is due", RetryFired, d.next())
		if did := d.next(); did != "" { // a second process that looks at the same ledger
			t.Errorf("%s twice", did)
		}
		events += 2
	}
	d.suspend("s", council.FaultTransport, 0, events)
	if !d.queue.Soonest().IsZero() || !d.queue["s"].Parked {
		t.Errorf("it is not parked: %+v", d.queue["s"])
	}
	d.now = d.now.Add(1000 * time.Hour)
	check.Is(t, "although it is parked", "", d.next())
	d.note(Entry{Type: TypeRetry, Action: RetryReleased, Session: "s", Due: d.now})
	if did := d.next(); did != RetryFired || d.queue["s"].Tries != 1 {
		t.Errorf("%q after it was released: %+v", did, d.queue["s"])
	}
}

func TestQueue_CountsAgainAfterProgress(t *testing.T) {
	d := newDesk()
	d.suspend("s", council.FaultTransport, 0, 10)
	d.now = d.now.Add(time.Minute)
	d.next()
	d.suspend("s", council.FaultTransport, 0, 15)
	d.wantsDue(t, firstWait)
}

func TestQueue_HonoursRetryAfter(t *testing.T) {
	d := newDesk()
	d.suspend("s", council.FaultRate, 7, 1)
	d.wantsDue(t, 10*time.Second) // the first wait is longer
	d.suspend("t", council.FaultRate, 3600, 1)
	d.note(Entry{Type: TypeRetry, Action: RetryDropped, Session: "s"})
	d.wantsDue(t, time.Hour)
	d.suspend("u", council.FaultRate, 1<<60, 1)
	due := d.queue["u"].Due
	check.That(t, !due.After(d.now.AddDate(2, 0, 0)), "due %s", due)
}

func TestQueue_KeepsAllCausesOfASuspension(t *testing.T) {
	d := newDesk()
	d.suspend("s", council.FaultRate, 120, 1)
	d.suspend("s", council.FaultTransport, 0, 1)
	d.wantsDue(t, 2*time.Minute)
	w := d.queue["s"]
	check.That(t, len(w.Causes) == 2 && w.Causes[0].Why == string(council.FaultRate) &&
		w.Causes[1].Why == string(council.FaultTransport), "%+v", w.Causes)
	d.now = d.now.Add(2 * time.Minute)
	d.next()
	d.suspend("s", council.FaultTimeout, 0, 3)
	d.wantsDue(t, 20*time.Second)
	check.That(t, len(w.Causes) == 1 && w.Causes[0].Why == string(council.FaultTimeout),
		"causes of an earlier suspension are left: %+v", w.Causes)
}

func TestQueue_SurvivesClockJumps(t *testing.T) {
	d := newDesk()
	d.suspend("s", council.FaultTransport, 0, 1)
	d.now = d.now.Add(-clockSlack)
	check.Is(t, "after the clock was set right", "", d.next())
	d.now = d.now.AddDate(-1, 0, 0)
	check.Is(t, "after the clock was set back by a year", RetryFired, d.next())
	d.wantsDue(t, 2*firstWait)
	check.Is(t, "it", "", d.next())
	d.now = d.now.AddDate(3, 0, 0)
	check.Is(t, "after the clock was set forward", RetryFired, d.next())
	check.Is(t, "it", "", d.next())
}

func TestQueue_RepeatsATryWhoseProcessDied(t *testing.T) {
	d := newDesk()
	d.suspend("s", council.FaultTransport, 0, 1)
	for n := range RetryTries {
		d.now = d.now.Add(longestWait)
		did := d.next()
		check.That(t, did == RetryFired, "%d: %q", n, did)
	}
	d.now = d.now.Add(longestWait)
	did := d.next()
	check.That(t, did == "" && d.queue["s"].Parked, "%q after eight tries", did)
}

func TestQueue_DropsClosedSessions(t *testing.T) {
	d := newDesk()
	d.suspend("s", council.FaultTransport, 0, 1)
	d.note(Entry{Type: TypeSession, Action: ActionClosed, Session: "s"})
	check.Is(t, "it is announced that it closes, and the process may die before", 1, len(d.queue))
	d.note(Entry{Type: TypeRun, Action: RunClosed, Session: "s"})
	check.Is(t, "queue", 0, len(d.queue))
}

func TestQueue_PassesOverBusySessions(t *testing.T) {
	d := newDesk()
	d.suspend("a", council.FaultTransport, 0, 1)
	d.suspend("b", council.FaultTransport, 0, 1)
	d.now = d.now.Add(time.Minute)
	e, ok := d.queue.Next(d.now, func(id council.SessionID) bool { return id == "a" })
	check.That(t, ok && e.Session == "b" && e.Action == RetryFired, "%+v", e)
}
