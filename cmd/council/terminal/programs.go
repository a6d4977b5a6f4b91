package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/council-engine/council/council/prompt"
)

// Editor returns what opens a text in the program that VISUAL or EDITOR names, and returns what the person made of it
// when that is closed; nil when the environment names none. The file lies in a folder that only the person can read,
// and is gone afterwards.
func Editor(getenv func(string) string, in io.Reader, out, errs io.Writer) func(context.Context, string) (string,
	error) {
	argv := strings.Fields(getenv("VISUAL"))
	if len(argv) == 0 {
		argv = strings.Fields(getenv("EDITOR"))
	}
	if len(argv) == 0 {
		return nil
	}
	return func(ctx context.Context, text string) (_ string, err error) {
		folder, err := os.MkdirTemp("", "council-answer-")
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		path := filepath.Join(folder, "answer.md")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
		run := exec.CommandContext(ctx, argv[0], append(argv[1:len(argv):len(argv)], path)...)
		run.Stdin, run.Stdout, run.Stderr = in, out, errs
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
}

// Pager shows what write writes in the program that PAGER names, else in less, which ends by itself when that fits on
// the screen. It reports false, and write was not called, where the program cannot be started. That write fails, or how
// the program ends, is of no interest: people leave it when they have seen enough.
func Pager(ctx context.Context, getenv func(string) string, write func(io.Writer) error, out, errs io.Writer) bool {
	argv := strings.Fields(getenv("PAGER"))
	if len(argv) == 0 {
		argv = []string{"less"}
	}
	run := exec.CommandContext(ctx, argv[0], argv[1:]...)
	run.Stdout, run.Stderr = out, errs
	if getenv("LESS") == "" { // as git does: quit on one screen, show colours, leave what was read on the screen
		run.Env = append(os.Environ(), "LESS=FRX")
	}
	in, err := run.StdinPipe()
	if err != nil || run.Start() != nil {
		return false
	}
	signal.Ignore(os.Interrupt) // Ctrl-C is for the pager, which has the terminal
	defer signal.Reset(os.Interrupt)
	_ = write(in)
	_ = in.Close()
	_ = run.Wait()
	return true
}
