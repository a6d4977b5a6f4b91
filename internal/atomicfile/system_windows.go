package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func readDir(f *os.File, _ *os.Root) ([]fs.DirEntry, error) { return f.ReadDir(-1) }

// Running reports whether this machine has a process of that number, which may be another than the one that is meant. A
// process that has ended can be opened while a handle to it is open, so it is asked whether it has ended.
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
