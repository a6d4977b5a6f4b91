package counciltest

import (
	"os"
	"syscall"
)

// inMemory puts the temporary folders of a test binary into memory, where a sync costs nothing: on a disk, half of
// the time of many small sessions is the kernel's. It does so where Linux has /dev/shm with 2 GB to spare and lets
// programs run there, and not where TMPDIR is set.
func inMemory() {
	const shm, tmpfs, noexec, room = "/dev/shm", 0x01021994, 8, 2 << 30
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(shm, &fs) != nil || int64(fs.Type) != tmpfs || fs.Flags&noexec != 0 ||
		fs.Bavail*uint64(fs.Bsize) < room {
		return
	}
	_ = os.Setenv("TMPDIR", shm) // on failure it stays unset
}
