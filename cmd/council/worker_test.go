package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/internal/natstest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// yard is a cluster, a model server, and machines that work.
type yard struct {
	testing.TB
	nodes     *natstest.Cluster
	ways      map[string][]*natstest.Proxy // to the servers, by the folder of the machine
	server    *counciltest.Server
	began     atomic.Int64 // calls, also those that nobody waits for any more
	config    string
	out, errs bytes.Buffer
}

func newYard(t testing.TB, nodes int, reply func(counciltest.Request) string) *yard {
	hidden := func(o *server.Options) { o.Cluster.NoAdvertise = true } // else clients find ways of their own
	y := &yard{TB: t, nodes: natstest.Start(t, nodes, hidden), ways: map[string][]*natstest.Proxy{}}
	y.server = counciltest.NewServer(t, reply)
	y.server.Latency = 20 * time.Millisecond
	url := counciltest.NewFront(t, y.server, func(http.ResponseWriter, counciltest.Call) bool {
		y.began.Add(1)
		return false
	})
	y.config = filepath.Join(t.TempDir(), site.ConfigFile)
	c := counciltest.Charter(3, 1, url)
	for i := range c.Phases {
		c.Phases[i].Governance.Debate = true // which awaits all seconds; without it the first to come ends the question
	}
	writeCouncil(t, y.config, c)
	return y
}

// run runs a command on the cluster in this process.
func (y *yard) run(want int, args ...string) {
	y.Helper()
	y.out.Reset()
	y.errs.Reset()
	a := testOnlyApp(&y.out, &y.errs)
	given := a.Getenv
	a.Getenv = func(name string) string { return cmp.Or(map[string]string{"NATS_URL": y.nodes.URL}[name], given(name)) }
	runs(y, a, want, args...)
}

// submit submits n topics and returns their sessions.
func (y *yard) submit(n int) (ids []string) {
	y.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"id":"q%d","topic":"Shall we take step %d?","output":"none"}`+"\n", i+1, i+1)
	}
	file := filepath.Join(y.TempDir(), "topics.jsonl")
	put(y, file, lines.String())
	y.run(cli.ExitOK, "cluster", "submit", "--batch", file)
	for line := range strings.Lines(y.out.String()) {
		ids = append(ids, gjson.Get(line, "session").String())
	}
	return ids
}

// machine starts a worker as a process of its own, on the folder of a machine.
func (y *yard) machine(folder string) *exec.Cmd {
	y.Helper()
	cmd := asProcess(y, "cluster", "worker", "--root", folder, "--config", y.config, "--trust", "--jobs", "2", "--lease",
		"1s")
	var urls []string
	for _, to := range strings.Split(y.nodes.URL, ",") {
		if len(y.ways[folder]) < len(urls)+1 {
			y.ways[folder] = append(y.ways[folder], natstest.NewProxy(y, to, 0.1))
		}
		urls = append(urls, y.ways[folder][len(urls)].URL)
	}
	cmd.Env = append(cmd.Env, "HOME="+y.TempDir(), "NATS_URL="+strings.Join(urls, ","), "GOGC=1000")
	log, err := os.OpenFile(folder+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		cmd.Stderr = log
		err = cmd.Start()
	}
	check.OK(y, err)
	_ = log.Close()
	return cmd
}

// working starts a worker that is killed when the test ends.
func (y *yard) working(folder string) {
	w := y.machine(folder)
	y.Cleanup(func() { _ = w.Process.Kill(); _ = w.Wait() })
}

// closed waits until all topics are closed, and fails when a minute passes in which none becomes so.
func (y *yard) closed(n int, logs string) {
	y.Helper()
	most, deadline := 0, time.Now().Add(time.Minute)
	for ; ; <-time.After(200 * time.Millisecond) {
		y.run(cli.ExitOK, "cluster", "status", "--json")
		count := map[string]int{}
		for line := range strings.Lines(y.out.String()) {
			count[gjson.Get(line, "state").String()]++
		}
		if count["closed"] == n {
			return
		}
		if count["closed"] > most {
			most, deadline = count["closed"], time.Now().Add(time.Minute)
		}
		if died := strings.Count(y.out.String(), "its workers died"); died > 0 && died == count["parked"] {
			y.Logf("%d topics were struck three times before they got on, and are submitted again", died)
			y.submit(n)
		} else if count["parked"] > 0 || time.Now().After(deadline) {
			all, _ := filepath.Glob(filepath.Join(logs, "*.log"))
			for _, name := range all {
				text, _ := os.ReadFile(name)
				y.Logf("%s:\n%s", name, text[max(0, len(text)-4000):])
			}
			y.Fatalf("%v\n%s", count, &y.out)
		}
	}
}

// TestWorker_ABatchOnAClusterLosesNothingWhenWorkersAndServersDo kills workers, stops servers, and cuts workers off or
// loses what they are told, at random; all that workers send comes late, and some of it twice. The long version does so
// 200 times.
func TestWorker_ABatchOnAClusterLosesNothingWhenWorkersAndServersDo(t *testing.T) {
	kills, topics := counciltest.Often(5, 200), counciltest.Often(4, 200)
	y, logs := newYard(t, 3, steadfast), t.TempDir()
	ids := y.submit(topics)
	if again := y.submit(topics); strings.Join(again, " ") != strings.Join(ids, " ") {
		t.Fatalf("submitted again they are %v, not %v", again, ids)
	}
	workers := make([]*exec.Cmd, 3)
	machine := func(i int) string { return filepath.Join(logs, fmt.Sprint("machine", i)) }
	start := func(i int) {
		for _, way := range y.ways[machine(i)] { // one that cannot reach the cluster does not begin
			way.Block(false)
		}
		workers[i] = y.machine(machine(i))
	}
	for i := range workers {
		start(i)
	}
	t.Cleanup(func() {
		for _, w := range workers {
			_ = w.Process.Kill()
			_ = w.Wait()
		}
	})
	for k := range kills {
		until := y.began.Load() + 3 + rand.Int64N(6)
		for stuck := time.Now().Add(20 * time.Second); y.began.Load() < until && time.Now().Before(stuck); {
			<-time.After(5 * time.Millisecond)
		}
		i := rand.IntN(3)
		ways := y.ways[machine(i)]
		switch k % 5 {
		case 1: // the worker reaches no server for longer than its lease
			for _, way := range ways {
				way.Block(true)
				time.AfterFunc(1500*time.Millisecond, func() { way.Block(false) })
			}
		case 3: // what the servers say is lost
			for _, way := range ways {
				way.Deafen(300 * time.Millisecond)
			}
		case 4:
			y.nodes.Stop(i)
			y.nodes.Restart(i)
		default:
			_ = workers[i].Process.Kill()
			_ = workers[i].Wait()
			start(i)
		}
	}
	y.closed(topics, logs)

	bought, doubts := int(y.began.Load()), 0
	mirror := filepath.Join(t.TempDir(), ".council")
	for _, id := range ids {
		y.run(cli.ExitOK, "cluster", "pull", id, "--root", mirror)
		y.run(cli.ExitOK, "verify", id, "--root", mirror)
		text, _ := os.ReadFile(filepath.Join(mirror, recorder.SessionsFolder, id, "doubts.json"))
		var again map[string]int
		_ = json.Unmarshal(text, &again)
		for _, times := range again {
			doubts += times
		}
	}
	for _, w := range workers {
		_ = w.Process.Kill()
		_ = w.Wait()
	}
	last := filepath.Join(t.TempDir(), ".council") // of a machine that comes last, and learns all
	more := y.submit(topics + 1)[topics]
	before := int(y.began.Load())
	y.run(cli.ExitOK, "cluster", "worker", "--root", last, "--config", y.config, "--drain", "--lease", "1s")
	undisturbed := topics * (int(y.began.Load()) - before) // what as many sessions cost that nobody disturbs
	y.run(cli.ExitOK, "record", "audit", "verify", "--root", last)
	journal := check.Get(os.ReadFile(filepath.Join(last, "memory", "journal.jsonl")))(t)
	for _, id := range append(ids, more) {
		if n := strings.Count(string(journal), fmt.Sprintf(`"session":{"id":%q`, id)); n != 1 {
			t.Errorf("session %s is %d times in memory's journal", id, n)
		}
		if id != more && !sameOnOneOf(t, filepath.Join(mirror, recorder.SessionsFolder, id), logs) {
			t.Errorf("session %s, as it was pulled, is not what a worker has", id)
		}
	}
	t.Logf("%d sessions, %d strikes: %d calls, %d of an undisturbed run; %d are listed as doubtful", topics, kills, bought,
		undisturbed, doubts)
	if bought < undisturbed || bought-undisturbed > doubts || doubts > kills*3*2 {
		t.Errorf("%d calls were paid for more than once, and %d are listed as doubtful", bought-undisturbed, doubts)
	}
}

// sameOnOneOf reports whether one of the machines has a session with the same files, byte for byte.
func sameOnOneOf(t *testing.T, folder, machines string) bool {
	t.Helper()
	all := check.Get(filepath.Glob(filepath.Join(machines, "machine*", recorder.SessionsFolder, filepath.Base(folder))))(t)
	files := func(folder string) map[string]string {
		all := map[string]string{}
		for path, text := range check.Files(t, folder) {
			all[strings.TrimPrefix(path, folder)] = text
		}
		delete(all, "/anchors") // which a machine signs with a key of its own
		return all
	}
	want := files(folder)
	return slices.ContainsFunc(all, func(other string) bool { return maps.Equal(want, files(other)) })
}

// Warnings of a worker's sessions were never printed.
func TestWorker_WarnsOfDocumentsThatAreLeftOut(t *testing.T) {
	y, folder := newYard(t, 1, steadfast), t.TempDir()
	for name, text := range map[string]string{"plan.md": "We move in May.", "plan.bin": "\x00\x01\x02"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	y.run(cli.ExitOK, "cluster", "submit", "Shall we move?", "--output", "none", "--context", folder)
	y.run(cli.ExitOK, "cluster", "worker", "--root", t.TempDir(), "--config", y.config, "--trust", "--drain",
		"--lease", "1s")
	check.Says(t, y.errs.String(), "Left out: ", "plan.bin")
}

// A file of another's policy in the working folder counted as the workspace's, and the workspace's own did not.
func TestSubmit_FollowsThePolicyOfTheWorkspaceHere(t *testing.T) {
	y := newYard(t, 1, steadfast)
	t.Chdir(t.TempDir())
	put(t, "plan.md", "We move in May.")
	put(t, "policy.toml", "package council")
	y.run(cli.ExitOK, "cluster", "submit", "Shall we move?", "--context", "plan.md")
	put(t, ".council/policy.toml", "[context]\ndeny = ['plan.md']\n")
	y.run(cli.ExitError, "cluster", "submit", "Shall we move now?", "--context", "plan.md")
	check.Says(t, y.errs.String(), "plan.md")
}

// What a policy of the cluster lets be spent in a day is spent by all workers together. Sessions that begin after it
// has changed follow it.
func TestWorker_WorkersShareTheBudgetOfTheCluster(t *testing.T) {
	const topics = 4
	y, machines := newYard(t, 1, steadfast), t.TempDir()
	policy := func(text string) {
		file := filepath.Join(t.TempDir(), "policy.toml")
		put(t, file, text)
		y.run(cli.ExitOK, "cluster", "policy", file)
	}
	policy("preset = \"open\"\n[day]\ntokens = 100000\n")
	y.submit(topics)
	for i := range 2 {
		y.working(filepath.Join(machines, fmt.Sprint("machine", i)))
	}
	count := func(state string) int {
		y.run(cli.ExitOK, "cluster", "status", "--json")
		return strings.Count(y.out.String(), fmt.Sprintf(`"state":%q`, state))
	}
	for deadline := time.Now().Add(time.Minute); count("parked")+count("closed") < topics; {
		if <-time.After(200 * time.Millisecond); time.Now().After(deadline) {
			t.Fatal(&y.out)
		}
	}
	n, said := count("parked"), "100000 tokens may be spent"
	if n == 0 || y.began.Load() > 70 || !strings.Contains(y.out.String(), said) {
		t.Errorf("%d topics are parked after %d calls\n%s", n, y.began.Load(), &y.out)
	}
	policy("preset = \"open\"\n[day]\ntokens = 1000000\n")
	y.submit(topics)
	y.closed(topics, machines)
	if n := y.began.Load(); n != topics*21 {
		t.Errorf("%d calls, want %d", n, topics*21)
	}
}
