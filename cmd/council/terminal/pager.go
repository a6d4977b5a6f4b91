package terminal

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

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
