package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/site"
)

// every says which of many cases the plain tests try, and the long version all: each stride-th, from the first on.
func every(stride, i int) bool { return i%counciltest.Often(stride, 1) == 0 }

// market is a model server for many trials at once. Its answer follows from the question alone, however often and in
// whatever order it is asked, and it bills each trial by the key that the trial shows.
type market struct {
	url     string
	charter council.Charter // of a council that meets on it
	// front looks at each call before it is served, and may serve it; may be nil
	front func(http.ResponseWriter, counciltest.Call) bool
	mu    sync.Mutex
	bills map[string]map[string]int // by key: how often each body was served
	seats map[string]string         // by body: whose question it is
}

// crashKeyName is the variable that holds a trial's key.
const crashKeyName = "CRASH_TEST_KEY"

func newMarket(t testing.TB, members int) *market {
	m := &market{bills: map[string]map[string]int{}, seats: map[string]string{}}
	talk := counciltest.Deliberation{Rounds: 1, Last: fmt.Sprintf("m%d", members), Leader: "m1", Contribution: "A remark."}
	var others []string
	for i := range members - 1 {
		others = append(others, fmt.Sprintf("m%d", i+1))
	}
	order := lot(crashSession, fmt.Sprintf("p1.r1.t%d", members), others...)
	seconder := order[len(order)-1] // whoever counts last, so that nobody's answer becomes moot
	server := counciltest.NewServer(t, func(r counciltest.Request) string {
		messages := gjson.GetBytes(r.Body, "messages.#.content").Array()
		asked := messages[len(messages)-1].String()
		r.Nth = 1
		switch {
		case r.Contract == "reply_ballot" && strings.Contains(asked, "Vote on version 1 of"):
			r.Nth = 3 // the draft that is rejected
		case r.Contract == "reply_reply": // after the close
			return `{"answer":"Because it names no costs."}`
		case r.Contract == "reply_second":
			return fmt.Sprintf(`{"rationale":"As I see it.","stand":"SUPPORT","second":%t}`, r.Model == seconder)
		}
		return talk.Reply(r)
	})
	m.url = counciltest.NewFront(t, server, func(w http.ResponseWriter, c counciltest.Call) bool {
		if m.front != nil && m.front(w, c) {
			return true
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.bills[c.Key] == nil {
			m.bills[c.Key] = map[string]int{}
		}
		m.bills[c.Key][string(c.Body)]++
		m.seats[string(c.Body)] = c.Model
		sum := sha256.Sum256(c.Body)
		w.Header().Set("X-Request-Id", hex.EncodeToString(sum[:8]))
		return false
	})
	m.charter = counciltest.Charter(members, 1, m.url)
	c := &m.charter
	c.Phases, c.SessionPolicy.EntryPhaseID, c.SessionPolicy.MaxPhaseTransitions = c.Phases[1:], "decide", 1
	for i := range c.Members {
		c.Members[i].Model.APIKeyEnv = crashKeyName
	}
	return m
}

// bill returns how many calls a trial was billed, and for each seat how many of them were for a question that had been
// served before.
func (m *market) bill(key string) (calls int, again map[string]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	again = map[string]int{}
	for body, n := range m.bills[key] {
		calls += n
		if n > 1 {
			again[m.seats[body]] += n - 1
		}
	}
	return calls, again
}

// trial is a folder in which the command is run.
type trial struct {
	testing.TB
	market    *market
	key       string
	dir       string
	layer     func(atomicfile.Files) atomicfile.Files // how the next command sees the disk
	signals   chan os.Signal
	later     time.Duration                              // how long after the session the next command is run
	wait      func(context.Context, time.Duration) error // how the next command waits; may be nil
	out, errs bytes.Buffer
}

func (m *market) trial(t testing.TB, dir, key string) *trial {
	t.Helper()
	tr := &trial{TB: t, market: m, key: key, dir: dir, signals: make(chan os.Signal, 2)}
	check.OK(t, os.MkdirAll(dir, 0o700))
	writeCouncil(t, tr.config(), m.charter)
	return tr
}

func (tr *trial) config() string { return filepath.Join(tr.dir, site.ConfigFile) }
func (tr *trial) root() string   { return filepath.Join(tr.dir, "work", ".council") }

// session returns the path of a file of the trial's session.
func (tr *trial) session(name string) string {
	return filepath.Join(tr.root(), "sessions", crashSession, name)
}

// crashSession is the id that the steady inputs of a trial give to its session.
const crashSession = "20261121-081500-shall-we-tttttt"

// steady are inputs that are the same in every process, so that two runs can be compared byte by byte.
type steady struct{}

func (steady) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 0x5a
	}
	return len(p), nil
}

func steadyNow() time.Time { return time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC) }

// app returns the command with the trial's streams, key and disk.
func (tr *trial) app() *cli.Env {
	a := testOnlyApp(&tr.out, &tr.errs)
	a.Getenv = func(name string) string { return map[string]string{"USER": "tester", crashKeyName: tr.key}[name] }
	a.Now = func() time.Time { return steadyNow().Add(tr.later) }
	a.Random, a.Signals, a.Layer, a.Wait = steady{}, catching(tr.signals), tr.layer, tr.wait
	return a
}

// run carries out one command, through a plan that may be nil.
func (tr *trial) run(plan *filetest.Plan, args ...string) int {
	tr.layer = nil
	if plan != nil {
		plan.NoSync = true
		tr.layer = plan.Watch
	}
	tr.out.Reset()
	tr.errs.Reset()
	return runLine(tr.app(), context.Background(), append(args, "--root", tr.root()))
}

func (tr *trial) convene(plan *filetest.Plan) int {
	return tr.run(plan, "convene", "Shall we?", "--quiet", "--config", tr.config())
}

func (tr *trial) resume(plan *filetest.Plan, flags ...string) int {
	return tr.run(plan, append([]string{"resume", "--quiet"}, flags...)...)
}

// clear removes the record.
func (tr *trial) clear() {
	tr.Helper()
	check.OK(tr, os.RemoveAll(tr.dir))
}

// wants fails unless a command ended as it should.
func (tr *trial) wants(code, want int) {
	tr.Helper()
	if code != want {
		tr.Fatalf("exit code %d, not %d\n%s%s", code, want, &tr.out, &tr.errs)
	}
}

// files are those of the record, but for what a crash leaves as evidence: see recorder's own crash tests. The index
// stands in them as its dump. The ledger is not among them: it tells what was done, twice where it was done twice.
func (tr *trial) files() map[string]string {
	tr.Helper()
	files := map[string]string{}
	check.OK(tr, filepath.WalkDir(tr.root(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(path, ".torn-") || strings.Contains(path, "/.VERSION.") ||
			strings.HasPrefix(e.Name(), index.File+"-") || e.Name() == index.File+".damaged" ||
			e.Name() == "doubts.json" || strings.Contains(path, "/"+ledger.Folder+"/") { // it tells of every try
			return err
		}
		text, err := os.ReadFile(path)
		if e.Name() == index.File {
			text, err = dumped(tr, path)
		}
		files[strings.TrimPrefix(path, tr.root()+"/")] = string(text)
		return err
	}))
	return files
}

// dumped returns what an index holds.
func dumped(t testing.TB, path string) ([]byte, error) {
	ix, err := index.Open(t.Context(), path)
	if err != nil {
		return nil, err
	}
	var dump bytes.Buffer
	err = errors.Join(ix.Dump(t.Context(), &dump), ix.Close())
	return dump.Bytes(), err
}

// lot returns the order of members that docs/protocol.md draws for a matter of a session: "election", or a motion's id.
func lot(session, matter string, members ...string) []string {
	drawn := func(member string) string {
		sum := sha256.Sum256([]byte(session + "\n" + matter + "\n" + member + "\n"))
		return hex.EncodeToString(sum[:])
	}
	slices.SortFunc(members, func(a, b string) int { return strings.Compare(drawn(a), drawn(b)) })
	return members
}
