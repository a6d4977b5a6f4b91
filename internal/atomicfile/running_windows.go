package atomicfile

import (
	"errors"
	"io/fs"
	"syscall"
)

// Running reports whether this machine has a process of that number. It may be another by now than the one that is
// meant. A process that has ended can still be opened while somebody holds it: so it is asked whether it has.
func Running(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	defer syscall.CloseHandle(p)
	state, err := syscall.WaitForSingleObject(p, 0)
	return err == nil && state == syscall.WAIT_TIMEOUT
}
