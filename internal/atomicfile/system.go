//go:build !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// readDir lists a folder, through a duplicate of the open file: a file of an [os.Root] asks the system about each
// entry, which takes three quarters of the time in a large folder.
func readDir(f *os.File, in *os.Root) ([]fs.DirEntry, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var failed error
	err = conn.Control(func(open uintptr) {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		if fd, failed = syscall.Dup(int(open)); failed == nil {
			syscall.CloseOnExec(fd)
		}
	})
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	folder := os.NewFile(uintptr(fd), in.Name())
	entries, err := folder.ReadDir(-1)
	for i, e := range entries {
		entries[i] = entry{e, in}
	}
	return entries, errors.Join(err, folder.Close())
}

// entry is an entry whose Info is looked up within the folder, and not by its path.
type entry struct {
	fs.DirEntry
	in *os.Root
}

func (e entry) Info() (fs.FileInfo, error) { return e.in.Lstat(e.Name()) }

// Running reports whether this machine has a process of that number, which may be another than the one that is meant.
func Running(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, fs.ErrPermission)
}
