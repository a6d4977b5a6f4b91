package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/schedule"
)

// house is a trial whose clock goes on by what the command waits.
type house struct {
	*trial
	waited atomic.Int64
	nap    func(now time.Time) // told of each wait, before the clock goes on; may be nil
}

func newHouse(t *testing.T, m *market) *house {
	return &house{trial: m.trial(t, t.TempDir(), t.Name())}
}

func (h *house) now() time.Time { return steadyNow().Add(time.Duration(h.waited.Load())) }

func (h *house) app() *cli.Env {
	h.out.Reset()
	h.errs.Reset()
	a := h.trial.app()
	a.Now = h.now
	a.Wait = func(ctx context.Context, d time.Duration) error {
		if h.nap != nil {
			h.nap(h.now())
		}
		h.waited.Add(int64(d))
		return ctx.Err()
	}
	return a
}

// does runs a command and wants its exit code. It adds --root, before what stands behind --.
func (h *house) does(want int, args ...string) {
	h.Helper()
	at := slices.Index(append(args, "--"), "--")
	h.wants(runLine(h.app(), context.Background(), slices.Insert(args, at, "--root", h.root())), want)
}

// keeps runs the daemon until a time by its clock.
func (h *house) keeps(until time.Time) {
	h.Helper()
	h.wants(h.until(until), cli.ExitOK)
}

// until is keeps, whatever comes of it.
func (h *house) until(until time.Time) int {
	before, stopped := h.nap, false
	h.nap = func(now time.Time) {
		if before != nil {
			before(now)
		}
		if !stopped && !now.Before(until) {
			stopped = true
			h.signals <- syscall.SIGTERM
		}
	}
	defer func() { h.nap = before }()
	return runLine(h.app(), context.Background(), []string{"schedule", "daemon", "--root", h.root()})
}

// entries returns what the ledger holds of a type, as words.
func (h *house) entries(of audit.Type) (words []string) {
	h.Helper()
	for _, e := range entries(h, h.root()) {
		if e.Type == of {
			words = append(words, strings.TrimSpace(e.Action+" "+e.Why))
		}
	}
	return words
}

func (h *house) says(where fmt.Stringer, words ...string) {
	h.Helper()
	check.Says(h, where.String(), words...)
}

func count(words []string, of string) (n int) {
	for _, w := range words {
		if strings.HasPrefix(w, of) {
			n++
		}
	}
	return n
}

func hangUp(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		c.Close()
	}
}

// TestDaemon_ARoutineConvenesAndOutlivesAnOutage is issue 13's "done when": a server goes down in the middle of a
// session that a routine convened, the database is deleted meanwhile, and the session closes with no question bought
// twice.
func TestDaemon_ARoutineConvenesAndOutlivesAnOutage(t *testing.T) {
	m := newMarket(t, 3)
	h := newHouse(t, m)
	h.waited.Store(-int64(5 * time.Minute)) // so that the market knows the session that is convened at 8:15
	h.does(cli.ExitOK, "schedule", "add", "daily", "--cron", "15 8 * * *", "--tz", "UTC", "--", "--config", h.config(),
		"Shall we?")
	var served atomic.Int64
	back := steadyNow().Add(7 * time.Minute)
	m.front = func(w http.ResponseWriter, _ counciltest.Call) bool {
		if served.Add(1) > 5 && h.now().Before(back) {
			hangUp(w)
			return true
		}
		return false
	}
	deleted := false
	h.nap = func(now time.Time) {
		if !deleted && now.After(steadyNow().Add(3*time.Minute)) {
			deleted = true
			for _, name := range []string{"council.db", "council.db-wal", "council.db-shm"} {
				check.OK(t, os.RemoveAll(filepath.Join(h.root(), name)))
			}
		}
	}
	h.keeps(steadyNow().Add(time.Hour))
	log := h.errs.String()
	if _, again := m.bill(h.key); len(again) != 0 {
		t.Errorf("bought again: %v", again)
	}
	if fired := h.entries(audit.TypeRoutine); strings.Join(fired, ", ") != "added, fired" {
		t.Errorf("the routine: %v", fired)
	}
	if calls := h.entries(audit.TypeCall); len(calls) != int(served.Load()) {
		t.Errorf("the ledger has %d calls, and the server was put %d", len(calls), served.Load())
	}
	retries := h.entries(audit.TypeRetry)
	if q, f := count(retries, "queued transport"), count(retries, "fired"); q < 2 || q != f {
		t.Errorf("the queue: %v\n%s", retries, log)
	}
	h.does(cli.ExitOK, "record", "runs", "list", "--json")
	runs := h.out.String()
	closed, suspended := strings.Count(runs, `"status":"closed"`), strings.Count(runs, `"status":"suspended"`)
	if closed != 1 || suspended != count(retries, "queued transport") || strings.Count(runs, "\n") != closed+suspended {
		t.Errorf("the queue: %v\nthe runs:\n%s", retries, runs)
	}
	h.does(cli.ExitOK, "usage", "--by", "session", "--json")
	bought, _ := m.bill(h.key)
	if gjson.Get(h.out.String(), "calls").Int() != int64(bought) {
		t.Errorf("the server was paid %d calls, and usage has: %s", bought, &h.out)
	}
	h.does(cli.ExitOK, "record", "audit", "verify")
	h.does(cli.ExitOK, "schedule", "queue")
	h.says(&h.out, "No session waits")
	h.does(cli.ExitOK, "schedule", "show", "daily")
	h.says(&h.out, "2026-11-21", "decided", crashSession)
	h.does(cli.ExitOK, "verify", "--all")
	check.Says(t, log, "1 routine, and 0 suspended", "suspended (transport: ", "; the next try is due at ",
		"is tried again: try 2 of 8", "is decided", "stopped")
}

// A wait that a provider asked for was used for the tries of one call, and forgotten with the session's suspension.
func TestDaemon_TwoMembersInTroubleAreTwoCauses(t *testing.T) {
	h := newHouse(t, newMarket(t, 3))
	h.market.front = func(w http.ResponseWriter, g counciltest.Call) bool {
		switch g.Model {
		case "m1":
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		case "m2":
			hangUp(w)
		default:
			return false
		}
		return true
	}
	h.does(cli.ExitSuspended, "convene", "Shall we?", "--quiet", "--config", h.config())
	h.does(cli.ExitOK, "schedule", "queue")
	h.says(&h.out, "rate, transport")
	h.does(cli.ExitOK, "schedule", "queue", "--json")
	h.says(&h.out, `"causes":[{"why":"rate","due":"2026-11-21T09:`, `{"why":"transport","due":"2026-11-21T08:`)
	h.does(cli.ExitError, "schedule", "drop", "x")
	h.does(cli.ExitOK, "schedule", "release", "2026")
	h.does(cli.ExitOK, "schedule", "queue")
	h.says(&h.out, "due")
	h.does(cli.ExitOK, "schedule", "drop", "2026")
	h.does(cli.ExitOK, "schedule", "queue")
	h.says(&h.out, "No session waits")
}

func TestDaemon_OneDaemonAtATime(t *testing.T) {
	h := newHouse(t, newMarket(t, 3))
	h.does(cli.ExitOK, "schedule", "add", "daily", "--cron", "@daily", "--", "--model", "rehearsal", "Shall we?")
	second := 0
	h.nap = func(time.Time) {
		if second == 0 {
			other := testOnlyApp(&h.out, &h.errs)
			second = runLine(other, context.Background(), []string{"schedule", "daemon", "--root", h.root()})
			h.says(&h.errs, fmt.Sprintf("looks after this workspace already: process %d on ", os.Getpid()), ", since 20")
		}
	}
	h.keeps(steadyNow())
	check.Is(t, "the second ended with exit code", cli.ExitSuspended, second)
}

// TestDaemon_ADaemonThatIsKilledMissesNothing kills the daemon at operations on the disk, and starts another: the
// routine's session closes, and no question is bought twice that was not in doubt.
func TestDaemon_ADaemonThatIsKilledMissesNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	m := newMarket(t, 3)
	start := func(t *testing.T, plan *filetest.Plan) *house {
		h := newHouse(t, m)
		h.key = t.TempDir()
		h.does(cli.ExitOK, "schedule", "add", "daily", "--cron", "20 8 * * *", "--tz", "UTC", "--", "--config", h.config(),
			"--output", "none", "Shall we?")
		plan.NoSync = true
		h.layer = plan.Watch
		return h
	}
	var whole filetest.Plan
	h := start(t, &whole)
	h.keeps(steadyNow().Add(10 * time.Minute))
	for i := range whole.Count() {
		if !every(311, i) {
			continue
		}
		plan := filetest.Plan{At: i + 1}
		h := start(t, &plan)
		h.until(steadyNow().Add(10*time.Minute + 1))
		for len(h.signals) > 0 {
			<-h.signals
		}
		h.layer = nil
		h.keeps(h.now().Add(2 * time.Hour))
		log := h.errs.String()
		h.does(cli.ExitOK, "sessions", "--json")
		list := h.out.String()
		closed, empty := strings.Count(list, `"state":"decided"`), strings.Count(list, `"state":"empty"`)
		if closed != 1 || closed+empty != strings.Count(list, "\n") {
			t.Errorf("%s: %d closed sessions\n%s%s", plan.Struck(), closed, list, log)
		}
		h.does(cli.ExitOK, "schedule", "queue")
		h.says(&h.out, "No session waits")
		doubts := 0
		_, again := m.bill(h.key)
		for _, n := range again {
			doubts += n
		}
		if doubts > 3 { // what was in hand when it was killed
			t.Errorf("%s: bought again: %v", plan.Struck(), again)
		}
	}
}

func TestDaemon_AReviewOfNothingIsNotPaidFor(t *testing.T) {
	counciltest.NotUnderRace(t)
	h := newHouse(t, newMarket(t, 3))
	t.Chdir(h.dir)
	git(t, "init", "-q")
	git(t, "commit", "-q", "--allow-empty", "-m", "One")
	h.does(cli.ExitOK, "schedule", "add", "review", "--cron", "0 * * * *", "--unless", "no new commits since", "--",
		"--model", "rehearsal", "--council", "naming", "--output", "none", "Shall we?")
	h.keeps(steadyNow().Add(2 * time.Hour)) // nine and ten o'clock
	git(t, "commit", "-q", "--allow-empty", "-m", "Two")
	h.keeps(h.now().Add(time.Hour))
	if words := h.entries(audit.TypeRoutine); strings.Join(words, ", ") !=
		"added, fired, skipped no new commits since, fired" {
		t.Errorf("%q\n%s", words, &h.errs)
	}
}

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
