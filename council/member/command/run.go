package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// MaxOutput bounds what a program may write to its output, and to its errors, in bytes. One that writes more is ended.
const MaxOutput = 4 << 20

// maxWords is how much is kept of the end of what a program writes to its errors, in bytes.
const maxWords = 16 << 10

// lingering is how long a program may live on after it has closed its output, and how long anybody who inherited it may
// keep it open after the program has ended.
const lingering = 2 * time.Second

// invocation is one run of a program.
type invocation struct {
	program   string // absolute
	args      []string
	dir       string
	env       []string
	stdin     string
	lingering time.Duration
}

// outcome is what a run came to.
type outcome struct {
	output  []byte
	words   string // the end of what it wrote to its errors
	code    int    // -1 for a program that a signal ended
	state   string // how it ended, in the system's words
	flooded bool   // it wrote more than [MaxOutput], and was ended for it
	stayed  bool   // it closed its output and was ended for staying
}

// run runs a program to its end, with all that it started: whoever is left of its process group is killed, be it that the
// program ended, that ctx did, that it wrote too much, or that it closed its output and stayed. It returns when the
// program is gone. The error is ctx's, or says why the program could not be started.
func (i invocation) run(ctx context.Context) (outcome, error) {
	cmd := exec.CommandContext(ctx, i.program, i.args...)
	cmd.Dir, cmd.Env = i.dir, i.env
	cmd.Stdin = strings.NewReader(i.stdin) // a program that does not read it is none of our troubles
	cmd.WaitDelay = i.lingering
	cmd.Cancel = func() error { return endGroup(cmd.Process.Pid) }
	separate(cmd)

	var over atomic.Bool
	flooded := func() {
		over.Store(true)
		cmd.Cancel()
	}
	output, err := listen(MaxOutput, flooded)
	if err != nil {
		return outcome{}, err
	}
	defer output.close()
	words, err := listen(maxWords, flooded)
	if err != nil {
		return outcome{}, err
	}
	defer words.close()
	cmd.Stdout, cmd.Stderr = output.writer, words.writer

	started, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		// The system ends the program when the thread that started it ends, where it does so at all.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return outcome{}, err
	}
	output.read()
	words.read()
	stay := time.NewTimer(i.lingering)
	stay.Stop()
	defer stay.Stop()
	said, stayed := output.done, false
	for gone := false; !gone; {
		select {
		case <-ended:
			gone = true
		case <-said:
			said = nil
			stay.Reset(i.lingering)
		case <-stay.C:
			stayed = true
			cmd.Cancel()
		}
	}
	endGroup(cmd.Process.Pid)
	patience := i.lingering // those who left the group may hold the pipes for ever
	if ctx.Err() != nil {
		patience = 0
	}
	output.hurry(patience)
	words.hurry(patience)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	return outcome{
		output: output.kept(), words: string(words.kept()), flooded: over.Load(), stayed: stayed,
		code: cmd.ProcessState.ExitCode(), state: cmd.ProcessState.String(),
	}, nil
}

// stream is one of a program's outputs. It keeps the end of it.
type stream struct {
	reader, writer *os.File
	keep           int
	flooded        func()
	done           chan struct{} // closed when there is nothing more to read

	mu   sync.Mutex
	text bytes.Buffer
}

func listen(keep int, flooded func()) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{reader: r, writer: w, keep: keep, flooded: flooded, done: make(chan struct{})}, nil
}

// read begins to read. It closes our copy of the end that the program writes to.
func (s *stream) read() {
	s.writer.Close()
	go func() {
		defer close(s.done)
		buffer := make([]byte, 32<<10)
		for total := 0; total <= MaxOutput; {
			n, err := s.reader.Read(buffer)
			total += n
			s.take(buffer[:n])
			if err != nil {
				return
			}
		}
		s.flooded()
	}()
}

func (s *stream) take(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(data)
	if s.text.Len() > 2*s.keep {
		s.text.Next(s.text.Len() - s.keep)
	}
}

// hurry waits until everything is read, but no longer than limit.
func (s *stream) hurry(limit time.Duration) {
	if err := s.reader.SetReadDeadline(time.Now().Add(limit)); err != nil && !errors.Is(err, os.ErrClosed) {
		s.reader.Close() // a system whose pipes know no deadlines
	}
	<-s.done
}

func (s *stream) kept() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.text.Bytes()
	return bytes.Clone(text[max(0, len(text)-s.keep):])
}

func (s *stream) close() {
	s.writer.Close()
	s.reader.Close()
}
