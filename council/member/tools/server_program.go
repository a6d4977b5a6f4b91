package tools

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/internal/process"
)

const (
	// patience is how long a program may take to end by itself, and again when it is told to.
	patience = time.Second
	// keptErrors is how much is kept of the end of what a program writes to its errors, in bytes.
	keptErrors = 16 << 10
)

// program is a server that is started, with all that it starts in turn: they are ended together. It is used once.
type program struct {
	command []string
	env     []string
	gate    *gate.Gate
	errors  process.Tail
	stray   stray

	running *process.Program
	stdin   io.Closer
	stdout  *os.File
	over    sync.Once
}

var _ mcp.Transport = (*program)(nil)

// Connect starts the program and speaks to it over its streams.
func (p *program) Connect(ctx context.Context) (mcp.Connection, error) {
	leave, err := p.gate.Program(ctx, p.command...)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(p.command[0], p.command[1:]...)
	p.errors.Keep = keptErrors
	cmd.Env, cmd.Stderr = p.env, &p.errors
	cmd.WaitDelay = patience // for processes that inherited its standard error
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, theirs, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	cmd.Stdout = theirs
	p.running, err = process.Start(cmd, leave)
	theirs.Close()
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, err
	}
	p.stdin, p.stdout = stdin, stdout
	go func() {
		<-p.running.Done()
		_ = p.running.End() // processes that it left behind would keep its output open
	}()
	over := mcp.IOTransport{Reader: io.NopCloser(io.TeeReader(stdout, &p.stray)), Writer: goodbye{stdin, p},
		MaxLineLength: mostBody}
	return over.Connect(ctx)
}

// goodbye is a program's input. To close it ends the program.
type goodbye struct {
	io.WriteCloser
	program *program
}

func (g goodbye) Close() error {
	g.program.end()
	return nil // how an unused server ends does not matter
}

// end closes the program's input, gives it time to end, and then ends it and whatever it started. It returns when the
// program is gone, so that all that it wrote to its errors is there.
func (p *program) end() {
	if p.running == nil {
		return
	}
	p.over.Do(func() {
		p.stdin.Close()
		p.running.Dismiss(patience)
		p.stdout.Close()
	})
}

// mostStray is how much is kept of a line that is not a message, in bytes.
const mostStray = 120

// stray keeps the beginning of the first line of an output that cannot be a message of the protocol, such as a banner.
// It is written what is read of the output.
type stray struct {
	mu    sync.Mutex
	line  []byte // the beginning of the line that is being read, or of the one that is kept
	found bool
}

func (s *stray) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range bytes.Lines(p) {
		if s.found {
			break
		}
		s.line = append(s.line, line[:min(len(line), mostStray-len(s.line))]...)
		if line[len(line)-1] != '\n' {
			continue
		}
		if s.found = s.strays(); !s.found {
			s.line = s.line[:0]
		}
	}
	return len(p), nil
}

// strays reports whether the line that is being read cannot be a message.
func (s *stray) strays() bool {
	start := bytes.TrimSpace(s.line)
	return len(start) > 0 && start[0] != '{' && start[0] != '['
}

// first returns the line that was kept, or empty.
func (s *stray) first() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found || s.strays() {
		return string(bytes.TrimSpace(s.line))
	}
	return ""
}
