//go:build unix

package command

import (
	"errors"
	"os"
	"syscall"
)

// endGroup kills a program with all that it started, unless they left its group.
func endGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) { // EPERM: only those that have ended already are left
		return os.ErrProcessDone
	}
	return err
}
