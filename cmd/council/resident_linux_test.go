package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
)

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
