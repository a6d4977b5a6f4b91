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
	// EPERM: only those that have ended already are left
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) {
		return os.ErrProcessDone
	}
	return err
}
