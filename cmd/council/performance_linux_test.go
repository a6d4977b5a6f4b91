package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// BenchmarkCost measures the cost of a call as sessions grow, and logs it as a table. CPU is that of the whole process,
// the stand-in server's share included; the resident memory is that of a process without the server.
func BenchmarkCost(b *testing.B) {
	for range b.N {
		var table strings.Builder
		table.WriteString("| members × rounds | calls | CPU a call | written a call | kept a call | " +
			"prompt characters a call | billed of them | resident |\n|---|---|---|---|---|---|---|---|\n")
		for _, members := range []int{3, 9} {
			for _, rounds := range []int{5, 20, 60} {
				table.WriteString(costRow(b, members, rounds))
			}
		}
		b.Logf("\n%s", &table)
	}
}

func costRow(b *testing.B, members, rounds int) string {
	s := newStand(b, members, rounds)
	began := counciltest.CPUTime()
	s.convene(b)
	cpu, calls := counciltest.CPUTime()-began, float64(s.server.Calls.Load())
	written := float64(s.files.Written())
	kept, _ := size(b, filepath.Join(s.root, "sessions"))

	var mu sync.Mutex
	sent, repeated, last := 0, 0, map[string][]byte{}
	s = newStand(b, members, rounds) // another, so that counting takes no CPU of the first
	s.watch = func(r counciltest.Request) {
		mu.Lock()
		defer mu.Unlock()
		text := promptText(r.Body)
		sent += len(text)
		repeated += commonPrefix(last[r.Model], text)
		last[r.Model] = text
	}
	s.convene(b)
	billed := float64(sent-repeated) + 0.1*float64(repeated)
	s = newStand(b, members, rounds)
	most := resident(b, s.config, s.root)
	return fmt.Sprintf("| %d × %d | %.0f | %.1f ms | %.1f kB | %.1f kB | %.1f k | %.0f %% | %d MiB |\n", members,
		rounds, calls, cpu.Seconds()*1000/calls, written/1000/calls, float64(kept)/1000/calls, float64(sent)/1000/calls,
		100*billed/float64(sent), most>>10)
}

// resident convenes in a process of its own, on a topic unless more says otherwise. It reports its peak, and returns
// it in KiB.
func resident(b *testing.B, config, root string, more ...string) (most int) {
	b.Helper()
	if more == nil {
		more = []string{"Shall we go on?"}
	}
	var out bytes.Buffer
	cmd := asProcess(b, append([]string{"convene", "--quiet", "--config", config, "--root", root}, more...)...)
	cmd.Env = append(cmd.Env, "HOME="+filepath.Dir(config))
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GODEBUG"} { // to compare
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Stdout, cmd.Stderr = &out, &out
	check.OK(b, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for look := time.NewTicker(2 * time.Millisecond); ; {
		select {
		case err := <-ended:
			look.Stop()
			if err != nil {
				b.Fatalf("%v\n%.2000s", err, &out)
			}
			b.ReportMetric(float64(most)/1024, "MiB-resident")
			b.ReportMetric(cmd.ProcessState.UserTime().Seconds()+cmd.ProcessState.SystemTime().Seconds(), "cpu-s")
			return most
		case <-look.C:
			most = max(most, peak(cmd.Process.Pid))
		}
	}
}

// peak returns the most memory that a process has had resident so far, in KiB.
func peak(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(rest, "kB")
	kib, _ := strconv.Atoi(strings.TrimSpace(line))
	return kib
}

// BenchmarkBatch holds many sessions of 3 members and 5 rounds at once, in a process of their own, on a server that
// takes a while for each call: 50 and half a second, or as many as COUNCIL_BATCH and as long as COUNCIL_LATENCY say. It
// reports the rate, where 1 is that of calls which take the latency and nothing else; the resident memory of a session
// at the worst; and how much longer the slowest session took than the median.
func BenchmarkBatch(b *testing.B) {
	sessions, latency := 50, 500*time.Millisecond
	if text := os.Getenv("COUNCIL_BATCH"); text != "" {
		sessions, _ = strconv.Atoi(text)
	}
	if text := os.Getenv("COUNCIL_LATENCY"); text != "" {
		latency, _ = time.ParseDuration(text)
	}
	const members, rounds = 3, 5
	for range b.N {
		talk := counciltest.Deliberation{Rounds: rounds, Last: "m3", Leader: "m1", Contribution: contribution}
		part := regexp.MustCompile(`with part \d+`)
		var mu sync.Mutex
		nth, first, last := map[string]int{}, map[string]time.Time{}, map[string]time.Time{}
		server := counciltest.NewServer(b, func(r counciltest.Request) string { // of several sessions
			topic := string(part.Find(r.Body))
			mu.Lock()
			defer mu.Unlock()
			key := topic + r.Model + r.Contract
			nth[key]++
			if r.Nth = nth[key]; first[topic].IsZero() {
				first[topic] = time.Now().Add(-latency)
			}
			last[topic] = time.Now()
			return talk.Reply(r)
		})
		server.Latency = latency
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		s := standOn(b, members, rounds, server)
		c := counciltest.Charter(members, rounds, server.URL)
		for i := range c.Members {
			c.Members[i].Model.Parallel = 10_000
		}
		writeCouncil(b, s.config, c)
		var lines strings.Builder
		for i := range sessions {
			fmt.Fprintf(&lines, `{"topic":"Shall we go on with part %d of the plan?"}`+"\n", i)
		}
		topics, own := s.config+"l", filepath.Join(filepath.Dir(s.config), ".config", "council")
		put(b, topics, lines.String())
		// A thousand sessions take more than may be spent in a day.
		put(b, filepath.Join(own, site.PolicyFile), `preset = "open"`)
		began := time.Now()
		most := resident(b, s.config, s.root, "--batch", topics, "--jobs", fmt.Sprint(sessions))
		took := time.Since(began)
		var each []time.Duration
		for topic := range first {
			each = append(each, last[topic].Sub(first[topic]))
		}
		slices.Sort(each)
		if len(each) != sessions {
			b.Fatalf("%d sessions were held", len(each))
		}
		b.ReportMetric(float64(steps(rounds))*latency.Seconds()/took.Seconds(), "of-the-ideal-rate")
		b.ReportMetric(float64(steps(rounds))*latency.Seconds()/each[len(each)/2].Seconds(), "of-the-ideal-median")
		b.ReportMetric(float64(most)/1024/float64(sessions), "MiB/session")
		b.ReportMetric(each[len(each)-1].Seconds()/each[len(each)/2].Seconds(), "slowest/median")
		b.ReportMetric(float64(server.Calls.Load())/float64(sessions), "calls/session")
	}
}
