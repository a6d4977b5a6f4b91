package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/run"
)

// batchOf writes a batch of n topics and returns its path.
func (d *workplace) batchOf(n int) string {
	d.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"id":"q%d","topic":"Shall we take step %d?"}`+"\n", i+1, i+1)
	}
	return d.file("topics.jsonl", lines.String())
}

func (d *workplace) file(name, text string) string {
	d.Helper()
	path := filepath.Join(d.TempDir(), name)
	put(d, path, text)
	return path
}

// states counts the results of a batch by how their sessions stand.
func (d *workplace) states() map[string]int {
	d.Helper()
	states := map[string]int{}
	for line := range strings.Lines(d.out.String()) {
		if !gjson.Valid(line) {
			d.Fatalf("not a line of JSON: %s", line)
		}
		states[gjson.Get(line, "state").String()]++
	}
	return states
}

func (d *workplace) counts(want map[string]int) {
	d.Helper()
	if got := d.states(); fmt.Sprint(got) != fmt.Sprint(want) {
		d.Errorf("the sessions are %v, not %v\n%s%s", got, want, &d.out, &d.errs)
	}
}

func TestBatch_ABatchThatIsStoppedPaysForNothingTwice(t *testing.T) {
	s := newStreet(t)
	s.steady = true
	s.with = refusal{401, `{"error":{"message":"The key has expired."}}`}
	d := newWorkplace(t, s.url)
	file := d.batchOf(5)
	hold := func(want int) {
		d.Helper()
		d.run(want, "convene", "--batch", file, "--jobs", "3", "--config", d.config)
	}
	for _, after := range []int64{7, 30} { // the server refuses
		s.admitted.Store(0)
		s.stop.Store(after)
		hold(cli.ExitSuspended)
		s.shut.Store(nil)
	}
	s.stop.Store(0)

	signals := make(chan os.Signal, 2)
	var calls atomic.Int64
	d.signals, s.during = signals, func(by int64) { // the person stops it
		if by > 0 && calls.Add(1) == 5 {
			signals <- os.Interrupt
		}
	}
	hold(cli.ExitSuspended)
	d.says(&d.errs, "Stopping.")
	d.signals, s.during = nil, nil

	hold(cli.ExitOK)
	d.counts(map[string]int{"decided": 5})
	paid := s.server.Calls.Load()
	hold(cli.ExitOK)
	d.counts(map[string]int{"decided": 5})
	check.Is(t, "a batch that was complete made calls", 0, s.server.Calls.Load()-paid)
	for body, times := range s.paid {
		if times > 1 {
			t.Errorf("a call was paid for %d times:\n%.300s", times, body)
		}
	}
	d.run(cli.ExitOK, "record", "fsck")
	d.run(cli.ExitOK, "memory", "check")
}

func TestBatch_ABatchHasOneBudget(t *testing.T) {
	s := newStreet(t)
	s.steady = true
	d := newWorkplace(t, s.url)
	file := d.batchOf(6)
	tokens := func() (all int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for body, times := range s.paid {
			all += int64(times * len(body) / 4)
		}
		return all
	}
	// Sessions that do not begin once the budget is short held up those after them.
	d.run(cli.ExitSuspended, "convene", "--batch", file, "--jobs", "3", "--config", d.config, "--budget-tokens", "60000")
	if states := d.states(); states["decided"] == 6 || states["suspended"] == 0 || states["waiting"] == 0 {
		t.Errorf("the sessions are %v", states)
	}
	d.says(&d.out, "within the budget of the whole batch")
	if spent := tokens(); spent > 60_000 || spent < 30_000 {
		t.Errorf("%d tokens of prompts were paid for", spent)
	}
	before := tokens()
	d.run(cli.ExitSuspended, "convene", "--batch", file, "--jobs", "3", "--config", d.config, "--budget-tokens", "60000")
	if spent := tokens(); spent > 60_000 {
		t.Errorf("started again %d tokens were paid for, after %d", spent, before)
	}
	d.run(cli.ExitOK, "convene", "--batch", file, "--jobs", "3", "--config", d.config, "--budget-tokens", "1000000")
	d.counts(map[string]int{"decided": 6})
	d.run(cli.ExitUsage, "convene", "--batch", file, "--config", d.config, "--budget-tokens", "-1")
}

func TestBatch_TheBoardOfABatch(t *testing.T) {
	var out, errs bytes.Buffer
	b := session.NewBoard(testOnlyApp(&out, &errs), session.Display{})
	b.All, b.Ended = 40, map[string]int{"decided": 2, "suspended": 1}
	b.Progress = func() (running []run.Running, took council.Amount) {
		for i := range 12 {
			l := run.BatchLine{Number: i + 4, Topic: "Shall we?\x1b[2J"}
			running = append(running, run.Running{Line: l, Place: "explore, round 2", Since: b.Began})
		}
		return running, council.Amount{Tokens: 12_000}
	}
	rows := b.Rows(60, 10)
	if len(rows) > 10 || slices.ContainsFunc(rows, func(row string) bool { return len([]rune(row)) > 60 }) ||
		strings.Contains(strings.Join(rows, ""), "\x1b") {
		t.Errorf("%d rows:\n%q", len(rows), rows)
	}
	check.Says(t, strings.Join(rows, "\n"), "3 of 40 sessions; 2 decided, 1 suspended", "line 4, Shall we?",
		"explore, round 2", "and 5 more", "12,000 tokens", "Ctrl-C")
}

// billed is a council on a server that adds up what it would bill.
type billed struct {
	*trial
	server  *counciltest.Server
	tokens  atomic.Int64 // of all calls
	charter council.Charter
	loud    bool // it is told what happens
}

// bill seats a council whose tokens cost a dollar a million, whatever their kind.
func bill(t testing.TB, members, rounds int) *billed {
	b := &billed{trial: &trial{TB: t, dir: t.TempDir(), signals: make(chan os.Signal, 2)}}
	talk := counciltest.Deliberation{Rounds: rounds, Last: fmt.Sprintf("m%d", members), Leader: "m1",
		Contribution: contribution}
	b.server = counciltest.NewServer(t, func(r counciltest.Request) string {
		text := talk.Reply(r)
		b.tokens.Add(int64(len(r.Body)/4 + len(text)/4))
		return text
	})
	b.charter = counciltest.Charter(members, rounds, b.server.URL)
	b.charter.Prices = []council.Rate{{Provider: "openai-compatible", Model: "*", AsOf: "2026-11-21", Input: 1, Output: 1}}
	return b
}

func (b *billed) convene(plan *filetest.Plan, flags ...string) int {
	b.Helper()
	writeCouncil(b, b.config(), b.charter)
	if !b.loud {
		flags = append(flags, "--quiet")
	}
	return b.run(plan, append([]string{"convene", "Shall we go on?", "--config", b.config()}, flags...)...)
}

// What is killed after it was billed and before it is kept leaves nothing but a doubt. It is counted all the same, so a
// cap holds, whatever happens: but for one call a member in flight.
func TestBatch_ACapHoldsAcrossKills(t *testing.T) {
	counciltest.NotUnderRace(t)
	const limit, kills = 60_000, 5
	flags := []string{"--budget-usd", "0.06"}
	b := bill(t, 3, 5)
	first := &filetest.Plan{On: "write m2.jsonl #6"}
	if b.convene(first, flags...); first.Struck() == "" {
		t.Fatalf("it was not struck\n%s", &b.errs)
	}
	for range kills - 1 {
		plan := &filetest.Plan{On: "write m2.jsonl #1"} // of the answer to the same question
		b.run(plan, "resume", "latest", "--quiet")
		if plan.Struck() == "" {
			t.Fatalf("it was not struck\n%s", &b.errs)
		}
	}
	if code := b.run(nil, "resume", "latest", "--quiet"); code != cli.ExitSuspended ||
		!strings.Contains(b.errs.String(), "suspended: budget: the next") {
		t.Fatalf("exit code %d\n%s", code, &b.errs)
	}
	if sum := b.tokens.Load(); sum > limit {
		t.Errorf("%d tokens were billed, more than %d", sum, limit)
	}
	calls := b.server.Calls.Load()
	for range 3 { // a resume brings no fresh budget
		if code := b.run(nil, "resume", "latest", "--quiet"); code != cli.ExitSuspended || b.server.Calls.Load() != calls {
			t.Errorf("exit code %d after %d further calls", code, b.server.Calls.Load()-calls)
		}
	}
	if code := b.run(nil, "resume", "latest", "--quiet", flags[0], "0"); code != cli.ExitOK {
		t.Errorf("without the cap: exit code %d\n%s", code, &b.errs)
	}
	if code := b.run(nil, "verify"); code != cli.ExitOK {
		t.Errorf("verify: exit code %d\n%s", code, &b.out)
	}
}

// The sessions of a process wait in one queue before a server.
func TestBatch_SessionsOfABatchShareTheLimitsOfAServer(t *testing.T) {
	s := newStreet(t)
	s.steady = true
	d := newWorkplace(t, s.url)
	c := shortCharter(s.url)
	var now, most atomic.Int64
	for i := range c.Members {
		c.Members[i].Model.Parallel = 2
	}
	s.during = func(by int64) {
		if n := now.Add(by); n > 2 {
			most.Store(n)
		}
	}
	d.write(c)
	d.run(cli.ExitOK, "convene", "--batch", d.batchOf(6), "--jobs", "6", "--config", d.config)
	if n := most.Load(); n > 0 {
		t.Errorf("%d calls were made at once, and 2 may be", n)
	}
}

// llama.cpp's server with four slots is sent four calls at once: each is held back until all slots were taken once.
func TestConvene_SendsALocalServerAsManyCallsAsItHasSlots(t *testing.T) {
	const slots = 4
	replies := counciltest.NewServer(t, counciltest.Deliberation{Rounds: 1, Last: "m5", Leader: "m1"}.Reply)
	var now atomic.Int64
	var once sync.Once
	full := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "models":
			io.WriteString(w, `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx":32768,"n_ctx_train":32768}}]}`)
			return
		case "props":
			io.WriteString(w, `{"total_slots":4,"default_generation_settings":{"n_ctx":32768}}`)
			return
		}
		n := now.Add(1)
		defer now.Add(-1)
		if n == slots {
			once.Do(func() { close(full) })
		}
		select {
		case <-full:
		case <-time.After(20 * time.Second):
			n = 0
		}
		if n < 1 || n > slots {
			t.Errorf("%d calls are under way, want %d", now.Load(), slots)
		}
		replies.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	d := newWorkplace(t, s.URL)
	c := shortCharter(s.URL)
	seat := c.Members[0]
	c.Members, c.TurnOrder = nil, nil
	for _, id := range []council.MemberID{"m1", "m2", "m3", "m4", "m5"} {
		seat.ID, seat.Name = id, "Member "+string(id)
		seat.Model = council.Model{Provider: "llamacpp", Model: "m", BaseURL: s.URL + "/v1"}
		c.Members = append(c.Members, seat)
	}
	d.write(c)
	d.run(cli.ExitNotDecided, "convene", "Shall we?", "--config", d.config, "--output", "none")
	d.says(&d.errs, s.URL+" is sent 4 calls at once.")
}
