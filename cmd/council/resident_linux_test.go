package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// BenchmarkResident runs whole sessions in which every reply is one of 10 MB in a process of their own, and reports the
// most memory that it had resident. [BenchmarkCost] does so for sessions of usual replies.
func BenchmarkResident(b *testing.B) {
	huge, _ := json.Marshal(strings.Repeat("A considered remark. ", 10_000_000/21))
	for _, members := range []int{3, 9} {
		b.Run(fmt.Sprintf("%dx10MB", members), func(b *testing.B) {
			for range b.N {
				talk := counciltest.Deliberation{Rounds: 2, Last: fmt.Sprintf("m%d", members), Leader: "m1",
					Contribution: contribution}
				server := counciltest.NewServer(b, func(r counciltest.Request) string {
					if r.Contract == "reply_turn" && r.Model != talk.Last {
						return fmt.Sprintf(`{"action":"CONTRIBUTE","message":%s}`, huge)
					}
					return talk.Reply(r)
				})
				s := standOn(b, members, 2, server)
				resident(b, s.config, s.root)
				kept, _ := size(b, filepath.Join(s.root, "sessions"))
				b.ReportMetric(float64(kept)/(1<<20), "MiB-kept")
			}
		})
	}
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
