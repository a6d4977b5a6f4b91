package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
)

// SIGHUP, which a terminal sends that is closed, ended a session with its calls in hand.
func TestAClosedTerminalIsAFirstCtrlC(t *testing.T) {
	self := check.Get(os.FindProcess(os.Getpid()))(t)
	for _, sent := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sent) { // as under nohup
			continue
		}
		caught, release := catchSignals()
		check.OK(t, self.Signal(sent))
		check.Is(t, "arrived as", sent, <-caught)
		release()
	}
}

// deaf is asked for before any test catches signals: afterwards it is not told any more.
var deaf = signal.Ignored(os.Interrupt)

// Signals were caught from the start and looked at only by a session, so that nothing ended a command that read.
func TestCtrlCEndsACommandThatWaitsForItsInput(t *testing.T) {
	if deaf {
		t.Skip("a job in the background of a shell is born deaf to Ctrl-C")
	}
	binary := check.Get(os.Executable())(t)
	for _, sent := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := exec.CommandContext(t.Context(), binary, "convene", "Shall we?", "--model", "rehearsal", "--context", "-")
		cmd.Args[0], cmd.Dir, cmd.Env = "council", t.TempDir(), []string{"USER=tester"} // see TestMain
		in := check.Get(cmd.StdinPipe())(t)
		check.OK(t, cmd.Start())
		// More than a pipe holds: when it is written, the command reads, and is left waiting for more.
		check.Get(io.Copy(in, bytes.NewReader(bytes.Repeat([]byte("word "), 40<<10))))(t)
		hangs := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		check.OK(t, cmd.Process.Signal(sent))
		_ = cmd.Wait() // it fails: that is what is looked at
		hangs.Stop()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != sent {
			t.Errorf("%s: %v", sent, cmd.ProcessState)
		}
		if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v was written, %v", sent, left, err)
		}
	}
}
