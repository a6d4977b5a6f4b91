//go:build unix

package process

import (
	"errors"
	"os"
	"syscall"
)

// endGroup sends a signal to a program and all that it started, unless they left its group.
func endGroup(pid int, s syscall.Signal) error {
	err := syscall.Kill(-pid, s)
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) { // EPERM: only those that have ended already are left
		return os.ErrProcessDone
	}
	return err
}
