package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/council-engine/council/council/prompt"
)

// Editor opens a text in the program that VISUAL or EDITOR names, and returns what the person made of it. The file lies
// in a folder that only the person can read, and is gone afterwards.
type Editor struct {
	Command       string // the program and its arguments, separated by spaces
	In            io.Reader
	Out, ErrorOut io.Writer
}

// EditorOf returns the person's editor, or nil when the environment names none.
func EditorOf(getenv func(string) string, in io.Reader, out, errs io.Writer) *Editor {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command := strings.TrimSpace(getenv(name)); command != "" {
			return &Editor{command, in, out, errs}
		}
	}
	return nil
}

// Edit opens text and returns when the editor is closed.
func (e *Editor) Edit(ctx context.Context, text string) (_ string, err error) {
	folder, err := os.MkdirTemp("", "council-answer-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "answer.md")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	argv := append(strings.Fields(e.Command), path)
	run := exec.CommandContext(ctx, argv[0], argv[1:]...)
	run.Stdin, run.Stdout, run.Stderr = e.In, e.Out, e.ErrorOut
	// Asked to end before it is made to: it has to give the terminal back as it was.
	run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
	run.WaitDelay = 5 * time.Second
	if err := run.Run(); err != nil {
		return "", fmt.Errorf("the editor %s failed: %w", argv[0], err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	edited, err := io.ReadAll(io.LimitReader(f, prompt.MaxReply+1))
	if len(edited) > prompt.MaxReply {
		return "", fmt.Errorf("the text is longer than %d bytes", prompt.MaxReply)
	}
	return string(edited), err
}
