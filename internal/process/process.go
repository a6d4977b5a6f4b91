// Package process runs programs so that they can be ended with all that they have started in turn.
package process

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// Start starts a program in a process group of its own, which dies with us where the system can see to it. Without a
// permit it starts nothing. Any other error is that of [exec.Cmd.Start].
func Start(cmd *exec.Cmd, leave Permit) (*Program, error) {
	if !leave.given {
		return nil, errors.New("the program was not started: nobody has permitted it")
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
	if !p.endsWithin(patience) && endGroup(p.cmd.Process.Pid, syscall.SIGTERM) == nil {
		p.endsWithin(patience)
	}
	_ = p.End() // the rest of its group
	<-p.done
}

func (p *Program) endsWithin(patience time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(patience):
		return false
	}
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

// Run is one run of a program, from its start to its end.
type Run struct {
	Program   string
	Args      []string
	Dir       string
	Env       []string
	Stdin     string
	Most      int           // bytes that it may write to its output; one that writes more is ended
	Lingering time.Duration // how long it may outlive its output, and its output the program; zero: two seconds
	Permit    Permit        // to start it
}

// Outcome is the result of a run.
type Outcome struct {
	Output  []byte
	Errors  string // the end of its standard error
	Code    int    // -1 for a program that a signal ended
	State   string // how it ended, in the system's words
	Flooded bool   // it wrote too much, and was ended for it
	Stayed  bool   // it closed its output and was ended for staying
}

// Do runs a program to its end. The rest of its process group is killed when the program has ended, when ctx ends, when
// it writes too much, and when it closes its output and stays. Do returns when the program is gone. The error is ctx's,
// or the reason why the program could not be started.
func (r Run) Do(ctx context.Context) (Outcome, error) {
	cmd := exec.CommandContext(ctx, r.Program, r.Args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	cmd.Stdin = strings.NewReader(r.Stdin) // the program need not read it
	lingering := cmp.Or(r.Lingering, 2*time.Second)
	cmd.WaitDelay = lingering

	var over atomic.Bool
	flooded := func() {
		over.Store(true)
		_ = cmd.Cancel() // if that fails, it is ended below
	}
	output, err := listen(r.Most, r.Most, flooded)
	if err != nil {
		return Outcome{}, err
	}
	defer output.close()
	words, err := listen(4<<20, 16<<10, flooded)
	if err != nil {
		return Outcome{}, err
	}
	defer words.close()
	cmd.Stdout, cmd.Stderr = output.writer, words.writer

	program, err := Start(cmd, r.Permit)
	if err != nil {
		return Outcome{}, err
	}
	output.read()
	words.read()
	stayed := program.outstay(output.done, lingering)
	_ = program.End()     // the rest of its group
	patience := lingering // those that left the group may hold the pipes for ever
	if ctx.Err() != nil {
		patience = 0
	}
	output.hurry(patience)
	words.hurry(patience)
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	return Outcome{Output: output.Kept(), Errors: string(words.Kept()), Flooded: over.Load(), Stayed: stayed,
		Code: cmd.ProcessState.ExitCode(), State: cmd.ProcessState.String()}, nil
}

// outstay waits until the program has ended, and ends one that lives on after its output, which it reports.
func (p *Program) outstay(said <-chan struct{}, lingering time.Duration) bool {
	select {
	case <-p.done:
		return false
	case <-said:
	}
	if p.endsWithin(lingering) {
		return false
	}
	_ = p.End()
	<-p.done
	return true
}

// Tail keeps the end of a text that is written to it. It is safe for concurrent use.
type Tail struct {
	Keep int // bytes

	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes all of p. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p)
	if t.text.Len() > 2*t.Keep {
		t.text.Next(t.text.Len() - t.Keep)
	}
	return len(p), nil
}

// Kept returns the end of the text so far, at most Keep bytes.
func (t *Tail) Kept() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text.Bytes()
	return bytes.Clone(text[max(0, len(text)-t.Keep):])
}

// stream is one of a program's outputs. It keeps the end of it.
type stream struct {
	Tail
	reader, writer *os.File
	most           int // bytes
	flooded        func()
	done           chan struct{} // closed when there is nothing more to read
}

func listen(most, keep int, flooded func()) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{Tail: Tail{Keep: keep}, reader: r, writer: w, most: most, flooded: flooded, done: make(chan struct{})},
		nil
}

// read begins to read. It closes our copy of the end that the program writes to.
func (s *stream) read() {
	s.writer.Close()
	go func() {
		defer close(s.done)
		buffer := make([]byte, 32<<10)
		for total := 0; total <= s.most; {
			n, err := s.reader.Read(buffer)
			total += n
			_, _ = s.Write(buffer[:n])
			if err != nil {
				return
			}
		}
		s.flooded()
	}()
}

// hurry waits until everything is read, but no longer than limit.
func (s *stream) hurry(limit time.Duration) {
	if err := s.reader.SetReadDeadline(time.Now().Add(limit)); err != nil && !errors.Is(err, os.ErrClosed) {
		s.reader.Close() // a system whose pipes know no deadlines
	}
	<-s.done
}

func (s *stream) close() {
	s.writer.Close()
	s.reader.Close()
}
