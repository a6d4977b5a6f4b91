//go:build !unix

package command

import (
	"os"
	"os/exec"
)

// separate does nothing: this system has no process groups.
func separate(*exec.Cmd) {}

// endGroup ends the program alone.
func endGroup(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return os.ErrProcessDone
	}
	return p.Kill()
}
