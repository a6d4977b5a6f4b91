//go:build linux || darwin

package doctor

import "syscall"

// freeSpace returns how many bytes this user may still write to the disk that holds a folder.
func freeSpace(path string) (bytes uint64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
