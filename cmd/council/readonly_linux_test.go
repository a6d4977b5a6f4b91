package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
)

// TestReadonly_ARecordThatCannotBeWrittenIsRead mounts a record read-only: recall and the commands that show memory
// work, with the index and without one, and say nothing of what they could not write.
func TestReadonly_ARecordThatCannotBeWrittenIsRead(t *testing.T) {
	tr, _ := newMarket(t, 3).kept(t)
	tr.wants(tr.run(nil, "recall", "remark"), cli.ExitOK)
	want := tr.out.String()
	for _, index := range []bool{true, false} {
		if !index {
			check.OK(t, os.Remove(tr.root()+"/council.db"))
		}
		if err := syscall.Mount(tr.root(), tr.root(), "", syscall.MS_BIND, ""); err != nil {
			t.Skipf("a folder cannot be mounted here: %v", err)
		}
		err := syscall.Mount("", tr.root(), "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")
		if err != nil {
			t.Error(err)
		}
		code := tr.run(nil, "recall", "remark")
		if code != cli.ExitOK || tr.out.String() != want || strings.Contains(tr.errs.String(), "read-only") {
			t.Errorf("recall with an index %v: exit code %d\n%s%s", index, code, &tr.out, &tr.errs)
		}
		for _, args := range [][]string{{"memory", "list"}, {"memory", "check"}, {"record", "turns", "list", "latest"}} {
			if code := tr.run(nil, args...); code != cli.ExitOK {
				t.Errorf("%q: exit code %d\n%s%s", args, code, &tr.out, &tr.errs)
			}
		}
		check.OK(t, syscall.Unmount(tr.root(), syscall.MNT_DETACH))
	}
}
