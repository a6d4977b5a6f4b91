// Package process runs programs so that they can be ended with all that they have started in turn.
package process

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Program is one that runs, in a process group of its own.
type Program struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// Permit is the leave to start one program. Its zero value is none.
type Permit struct{ given bool }

// Permitted returns a permit. Package gate alone calls it, once the ledger has the start; internal/policy tests that.
func Permitted() Permit { return Permit{true} }

var errNoPermit = errors.New("the program was not started: nobody has permitted it")

// Start starts a program in a process group of its own, which dies with us where the system can see to it. Without a
// permit it starts nothing. Any other error is that of [exec.Cmd.Start].
func Start(cmd *exec.Cmd, leave Permit) (*Program, error) {
	if !leave.given {
		return nil, errNoPermit
	}
	p := &Program{cmd: cmd, done: make(chan struct{})}
	if cmd.Cancel != nil {
		cmd.Cancel = p.End
	}
	separate(cmd)
	started := make(chan error, 1)
	go func() {
		// The system ends the program when the thread that started it ends, where it does so at all.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // cmd has the result
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Done is closed when the program has ended. Those that it started may live on.
func (p *Program) Done() <-chan struct{} { return p.done }

// End kills the program with all that it started, unless they left its group.
func (p *Program) End() error { return endGroup(p.cmd.Process.Pid, syscall.SIGKILL) }

// Dismiss gives a program whose input was closed time to end, asks it to, and ends it with all that it started.
func (p *Program) Dismiss(patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		if err := endGroup(p.cmd.Process.Pid, syscall.SIGTERM); err == nil {
			timer.Reset(patience)
			select {
			case <-p.done:
			case <-timer.C:
			}
		}
	}
	_ = p.End() // the rest of its group
	<-p.done
}

// Again starts this program once more with other arguments, and returns a function that waits for its exit code. The
// output goes to a file. The new process outlives this one and its terminal. It needs no permit, because it passes its
// own gate.
func Again(args []string, out *os.File) (wait func() int, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = out, out
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() int {
		_ = cmd.Wait() // cmd has the result
		return cmd.ProcessState.ExitCode()
	}, nil
}

// neededVariables are the variables without which programs do not run, or not in the user's language. None holds a
// secret.
var neededVariables = []string{"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "SYSTEMROOT"}

// Environment returns the environment of a program of the user's: the variables that programs need, and the named ones.
// It returns the first named variable that is not set, or "".
func Environment(getenv func(string) string, named []string) (env []string, unset string) {
	env = []string{} // nil would be the whole environment of this process
	for _, name := range slices.Concat(named, neededVariables) {
		value := getenv(name)
		switch {
		case value != "":
			env = append(env, name+"="+value)
		case unset == "" && slices.Contains(named, name):
			unset = name
		}
	}
	return env, unset
}
