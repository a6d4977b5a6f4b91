package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// TestCrashSigkill_KilledProcessesLoseNothing kills the real binary at random moments, each session up to three times.
// COUNCIL_SEED repeats a run.
func TestCrashSigkill_KilledProcessesLoseNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("COUNCIL_SEED"); text != "" {
		seed = check.Get(strconv.ParseUint(text, 10, 64))(t)
	}
	t.Logf("COUNCIL_SEED=%d", seed)
	for lane := range counciltest.Often(1, 2) {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			assassinate(t, rand.New(rand.NewPCG(seed, uint64(lane))), counciltest.Often(1, 500))
		})
	}
}

func assassinate(t *testing.T, random *rand.Rand, runs int) {
	m := newMarket(t, 3)
	var left atomic.Int64 // calls until the next kill; below 1 there is none
	due := make(chan struct{}, 1)
	m.front = func(http.ResponseWriter, counciltest.Call) bool {
		if left.Add(-1) == 0 {
			due <- struct{}{}
		}
		return false
	}
	kills, doubts := 0, 0
	for run := range runs {
		tr := m.trial(t, filepath.Join(t.TempDir(), "site"), fmt.Sprintf("sigkill-%p-%d", m, run))
		args := []string{"convene", "Shall we?", "--config", tr.config()}
		listed := map[string]int{}
		for deaths := 0; ; deaths++ {
			left.Store(0)
			if deaths < 3 {
				left.Store(1 + random.Int64N(12))
			}
			code := tr.assassinated(due, time.Duration(random.Int64N(int64(8*time.Millisecond))), args...)
			for _, match := range doubted.FindAllStringSubmatch(tr.errs.String(), -1) {
				listed[match[1]]++
				doubts++
			}
			if code == cli.ExitOK {
				break
			}
			if code >= 0 {
				t.Fatalf("run %d: exit code %d\n%s", run, code, &tr.errs)
			}
			kills++
			args = []string{"resume"}
		}
		if _, again := m.bill(tr.key); !within(again, listed) {
			t.Errorf("run %d: bought again %v, in doubt were %v", run, again, listed)
		}
		tr.wants(tr.run(nil, "verify"), cli.ExitOK)
		tr.wants(tr.run(nil, "sessions"), cli.ExitOK)
		if strings.Count(tr.out.String(), " awaits approval") != 1 {
			t.Errorf("run %d: the list says\n%s", run, &tr.out)
		}
		tr.clear()
	}
	t.Logf("%d runs, %d kills, %d questions in doubt", runs, kills, doubts)
}

// assassinated runs the real command in a process of its own, kills it a little later than that is due, and returns its
// exit code, which is -1 if it was killed.
func (tr *trial) assassinated(due chan struct{}, later time.Duration, args ...string) int {
	tr.out.Reset()
	tr.errs.Reset()
	cmd := asProcess(tr, append(args, "--quiet", "--root", tr.root())...)
	cmd.Env = append(cmd.Env, crashKeyName+"="+tr.key, "GOGC=off")
	cmd.Stdout, cmd.Stderr = &tr.out, &tr.errs
	check.OK(tr, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		select { // it was quicker
		case <-due:
		default:
		}
	case <-due:
		<-time.After(later)
		_ = cmd.Process.Kill() // it may have finished by itself
		<-ended
	}
	return cmd.ProcessState.ExitCode()
}

// within reports whether nothing was bought again that was not in doubt.
func within(again, listed map[string]int) bool {
	for seat, n := range again {
		if n > listed[seat] {
			return false
		}
	}
	return true
}
