//go:build unix

package counciltest

import (
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
)

// CPUTime returns the CPU time of this process: on a busy machine the clock says nothing.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Pipe makes a named pipe: who opens it waits for ever. Where there are none the test is skipped.
func Pipe(tb testing.TB, path string) {
	tb.Helper()
	check.OK(tb, syscall.Mkfifo(path, 0o600))
}
