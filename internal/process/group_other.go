//go:build !unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// separate does nothing: this system has no process groups.
func separate(*exec.Cmd) {}
func detach(*exec.Cmd)   {}

// endGroup ends the program alone. It cannot be asked to end.
func endGroup(pid int, s syscall.Signal) error {
	if s != syscall.SIGKILL {
		return errors.ErrUnsupported
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return os.ErrProcessDone
	}
	return p.Kill()
}
