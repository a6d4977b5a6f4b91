//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// detach starts a program in a session of its own, which no terminal ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endGroup sends a signal to a program and all that it started, unless they left its group.
func endGroup(pid int, s syscall.Signal) error {
	err := syscall.Kill(-pid, s)
	// EPERM: only those that have ended already are left
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) {
		return os.ErrProcessDone
	}
	return err
}
