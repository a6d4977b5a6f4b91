package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/internal/process"
	"github.com/council-engine/council/schemas"
)

// call calls a tool if its arguments fit the server's schema for it.
func (s *server) call(ctx context.Context, name string, arguments []byte, most int) council.ToolUse {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.connectOnce(ctx); err != nil {
		return failure("%v.", err)
	}
	t, err := s.find(strings.TrimPrefix(name, s.settings.Name+"."))
	if err != nil {
		return failure("It was not called: %v.", err)
	}
	unfit, err := checkArguments(t, arguments)
	if unfit != nil {
		err = fmt.Errorf("the arguments do not fit: %s %s", unfit.Pointer, strings.TrimSuffix(unfit.Problem, "."))
	}
	if err != nil {
		return failure("It was not called: %v. Ask %s what it takes.", err, council.ToolDescribe)
	}
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: t.Name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return s.failedOutput(err)
	}
	if result.NeedsInput() {
		return failure("It asks for input of a person, which it is not given here.")
	}
	answer := resultText(result, most)
	answer.Failed = result.IsError
	return answer
}

// failedOutput returns the output of a call that failed. The next call connects to the server again.
func (s *server) failedOutput(err error) council.ToolUse {
	if s.program == nil && s.session != nil {
		go s.session.Close() // a server that hangs would let us wait for its farewell, too
		s.session = nil
	}
	s.disconnect()
	if brokeOff(err) {
		return failure("The server %s broke off%s.", s.settings.Name, s.complaint())
	}
	return failure("The server %s failed: %s%s.", s.settings.Name, describeError(err), s.complaint())
}

func (s *server) describe(ctx context.Context, own string) council.ToolUse {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.connectOnce(ctx); err != nil {
		return failure("%v.", err)
	}
	t, err := s.find(own)
	if err != nil {
		return failure("It cannot be called: %v.", err)
	}
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		schema = []byte("unknown")
	}
	return council.ToolUse{Result: fmt.Sprintf("%s\n\nIts arguments, as JSON Schema:\n%s", t.Description, schema)}
}

// checkArguments returns why arguments do not fit a tool, or why its schema cannot be used, which lets nothing pass.
func checkArguments(t *mcp.Tool, arguments []byte) (unfit *schemas.Error, err error) {
	const most = 64 << 10 // bytes
	text, err := json.Marshal(t.InputSchema)
	if err != nil || len(text) > most {
		return nil, errors.New("what it takes is described too long to be checked")
	}
	if err = schemas.Hold(text, arguments); errors.As(err, &unfit) {
		return unfit, nil
	}
	return nil, err
}

// resultText returns a tool's result as text, up to about most bytes.
func resultText(result *mcp.CallToolResult, most int) council.ToolUse {
	var b strings.Builder
	for _, c := range result.Content {
		if b.Len() > most {
			return council.ToolUse{Result: b.String(), Cut: true}
		}
		switch c := c.(type) {
		case *mcp.TextContent:
			b.WriteString(c.Text)
		case *mcp.ImageContent:
			fmt.Fprintf(&b, "(an image, %s, %d bytes, which is not shown)", c.MIMEType, len(c.Data))
		case *mcp.AudioContent:
			fmt.Fprintf(&b, "(a sound, %s, %d bytes, which is not played)", c.MIMEType, len(c.Data))
		case *mcp.ResourceLink:
			fmt.Fprintf(&b, "(a link to %s)", c.URI)
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				fmt.Fprintf(&b, "%s:\n%s", c.Resource.URI, c.Resource.Text)
			}
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 && result.StructuredContent != nil {
		if text, err := json.Marshal(result.StructuredContent); err == nil {
			b.Write(text)
		}
	}
	return council.ToolUse{Result: b.String()}
}

var errorPrefix = regexp.MustCompile(`^(?:(?:calling|sending) "[^"]*": |rejected by transport: )+`)

func describeError(err error) string {
	var path *fs.PathError
	var program *exec.Error
	var call *url.Error
	var syntax *json.SyntaxError
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return fmt.Sprintf("the response has more than %d bytes", long.Limit)
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	case brokeOff(err):
		return "it ended without an answer"
	case errors.As(err, &syntax):
		return "what it writes is not in the form of the protocol"
	case errors.As(err, &call):
		return errorPrefix.ReplaceAllString(call.Err.Error(), "")
	case errors.Is(err, exec.ErrNotFound), errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return "there is no such program"
	case errors.As(err, &path):
		return "the program cannot be run: " + path.Err.Error()
	case errors.As(err, &program):
		return "the program cannot be run: " + program.Err.Error()
	}
	return errorPrefix.ReplaceAllString(err.Error(), "")
}

// brokeOff reports whether the server is gone.
func brokeOff(err error) bool {
	return errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) ||
		errors.Is(err, syscall.EPIPE)
}

const (
	endTimeout = time.Second // how long a program may take to end by itself, and again after a signal
	keptOutput = 16 << 10    // bytes that are kept of the end of its output, and of its errors
)

// program is a server process with its children, which are ended together. It is used once.
type program struct {
	command []string
	env     []string
	gate    *gate.Gate
	output  process.Tail
	errors  process.Tail

	// end ends the program and its children, after some time to end by itself. Then its errors are complete. It is nil
	// where nothing was started.
	end func()
}

// Connect starts the program and connects to its streams.
func (p *program) Connect(ctx context.Context) (mcp.Connection, error) {
	leave, err := p.gate.Program(ctx, p.command...)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(p.command[0], p.command[1:]...)
	p.output.Keep, p.errors.Keep = keptOutput, keptOutput
	cmd.Env, cmd.Stderr = p.env, &p.errors
	cmd.WaitDelay = endTimeout // for processes that inherited its standard error
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
	running, err := process.Start(cmd, leave)
	theirs.Close()
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, err
	}
	p.end = sync.OnceFunc(func() {
		stdin.Close()
		running.Dismiss(endTimeout)
		stdout.Close()
	})
	go func() {
		<-running.Done()
		_ = running.End() // processes that it left behind would keep its output open
	}()
	over := mcp.IOTransport{Reader: io.NopCloser(io.TeeReader(stdout, &p.output)), Writer: programInput{stdin, p.end},
		MaxLineLength: mostBody}
	return over.Connect(ctx)
}

// programInput is a program's input. Closing it ends the program.
type programInput struct {
	io.WriteCloser
	end func()
}

func (g programInput) Close() error {
	g.end()
	return nil // how an unused server ends does not matter
}

// strayLine returns the beginning of the first line that cannot be a message of the protocol, such as a banner, or "".
func strayLine(output []byte) string {
	if len(output) == keptOutput { // it begins in the midst of a line
		_, output, _ = bytes.Cut(output, []byte("\n"))
	}
	for line := range bytes.Lines(output) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '{' && line[0] != '[' {
			return string(line[:min(len(line), 120)])
		}
	}
	return ""
}
