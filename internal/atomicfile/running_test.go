package atomicfile_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
)

func TestRunning_IsFalseAfterTheProcessEnded(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	check.OK(t, ended.Run())
	for pid, want := range map[int]bool{os.Getpid(): true, ended.Process.Pid: false, 0: false, -1: false} {
		if got := atomicfile.Running(pid); got != want {
			t.Errorf("process %d: running is %t, want %t", pid, got, want)
		}
	}
}
