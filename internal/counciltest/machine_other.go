//go:build !unix

package counciltest

import (
	"testing"
	"time"
)

var began = time.Now()

// CPUTime returns how long this process has run: its CPU time is unknown here.
func CPUTime() time.Duration { return time.Since(began) }

// Pipe skips the test: there are no named pipes here.
func Pipe(tb testing.TB, _ string) {
	tb.Helper()
	tb.Skip("this system has no named pipes")
}
