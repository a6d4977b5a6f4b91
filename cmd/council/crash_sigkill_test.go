package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// process returns the real command in a process of its own.
func (tr *trial) process(args ...string) *exec.Cmd {
	tr.out.Reset()
	tr.errs.Reset()
	cmd := asProcess(tr, append(args, "--quiet", "--root", tr.root())...)
	cmd.Env = append(cmd.Env, crashKeyName+"="+tr.key, "GOGC=off")
	cmd.Stdout, cmd.Stderr = &tr.out, &tr.errs
	return cmd
}

// assassin kills the command after a number of its calls, and a little later than that.
type assassin struct {
	mu      sync.Mutex
	calls   int // until it strikes; it never does below 1
	later   time.Duration
	victim  *os.Process
	aimed   *sync.Cond
	pending sync.WaitGroup
}

// aim sets the assassin on a process.
func (a *assassin) aim(p *os.Process) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.victim = p
	a.aimed.Broadcast()
}

func (a *assassin) call(http.ResponseWriter, counciltest.Call) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls--; a.calls != 0 {
		return false
	}
	for a.victim == nil {
		a.aimed.Wait()
	}
	victim := a.victim
	a.pending.Add(1)
	time.AfterFunc(a.later, func() { defer a.pending.Done(); _ = victim.Kill() }) // it may have finished by itself
	return false
}

// killed runs the command and reports whether it was killed, else its exit code.
func (a *assassin) killed(tr *trial, cmd *exec.Cmd) (bool, int) {
	a.victim = nil
	check.OK(tr, cmd.Start())
	a.aim(cmd.Process)
	err := cmd.Wait()
	a.pending.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		tr.Fatal(err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status.Signaled() && status.Signal() == syscall.SIGKILL, cmd.ProcessState.ExitCode()
}

// TestCrashSigkill_KilledProcessesLoseNothing kills the real binary at random moments, each session up to three times.
// COUNCIL_SEED repeats a run.
func TestCrashSigkill_KilledProcessesLoseNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("COUNCIL_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
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
	a := &assassin{}
	a.aimed = sync.NewCond(&a.mu)
	m.front = a.call
	kills, doubts := 0, 0
	for run := range runs {
		tr := m.trial(t, filepath.Join(t.TempDir(), "site"), fmt.Sprintf("sigkill-%p-%d", a, run))
		begin := []string{"convene", "Shall we?", "--config", tr.config()}
		args := begin
		listed, deaths := map[string]int{}, 0
		for again, code := true, 0; again; {
			a.mu.Lock()
			a.calls, a.later = 0, time.Duration(random.Int64N(int64(8*time.Millisecond)))
			if deaths < 3 {
				a.calls = 1 + random.IntN(12)
			}
			a.mu.Unlock()
			again, code = a.killed(tr, tr.process(args...))
			for _, match := range doubted.FindAllStringSubmatch(tr.errs.String(), -1) {
				listed[match[1]]++
				doubts++
			}
			if again {
				deaths++
				kills++
				args = []string{"resume"}
			} else if code != cli.ExitOK {
				t.Fatalf("run %d: exit code %d\n%s", run, code, &tr.errs)
			}
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

// within reports whether nothing was bought again that was not in doubt.
func within(again, listed map[string]int) bool {
	for seat, n := range again {
		if n > listed[seat] {
			return false
		}
	}
	return true
}
