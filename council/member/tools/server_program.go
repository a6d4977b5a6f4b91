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
	// keptOutput is how much is kept of the end of what a program writes to its output and to its errors, in bytes.
	keptOutput = 16 << 10
)

// program is a server that is started, with all that it starts in turn: they are ended together. It is used once.
type program struct {
	command []string
	env     []string
	gate    *gate.Gate
	output  process.Tail
	errors  process.Tail

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
	p.output.Keep, p.errors.Keep = keptOutput, keptOutput
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
	over := mcp.IOTransport{Reader: io.NopCloser(io.TeeReader(stdout, &p.output)), Writer: goodbye{stdin, p},
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

// mostStray is how much is told of a line that is not a message, in bytes.
const mostStray = 120

// stray returns the beginning of the first line at the end of an output that cannot be a message of the protocol, such
// as a banner, or empty.
func stray(output []byte) string {
	if len(output) == keptOutput { // it begins in the midst of a line
		_, output, _ = bytes.Cut(output, []byte("\n"))
	}
	for line := range bytes.Lines(output) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '{' && line[0] != '[' {
			return string(line[:min(len(line), mostStray)])
		}
	}
	return ""
}
