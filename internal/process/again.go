package process

import (
	"os"
	"os/exec"
)

// Again starts this program once more with other arguments, and returns how to wait for its exit code. What it prints
// goes to a file. It lives on when we end, and when a terminal or whoever started us ends all that belongs to us. It
// needs no permit, because whatever it does passes its own gate. An error: it did not start.
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
		_ = cmd.Wait() // how it ended stands in cmd
		return cmd.ProcessState.ExitCode()
	}, nil
}
