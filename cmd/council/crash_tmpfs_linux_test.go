package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/counciltest"
)

// TestAFullFileSystemCostsNothing fills real file systems of several sizes, gives them space, and resumes.
func TestAFullFileSystemCostsNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	m := newMarket(t, 3)
	dir := filepath.Join(t.TempDir(), "site")
	u := m.undisturbed(t, dir)
	full := 0
	for pages := 8; pages < 80; pages += 8 {
		tr := m.trial(t, dir, fmt.Sprintf("tmpfs-%d", pages))
		work := filepath.Dir(tr.root())
		if err := os.Mkdir(work, 0o700); err != nil {
			t.Fatal(err)
		}
		size := func(pages int) string { return fmt.Sprintf("size=%dk,mode=700", 4*pages) }
		if err := syscall.Mount("council-test", work, "tmpfs", 0, size(pages)); err != nil {
			t.Skipf("a file system cannot be mounted here: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(work, syscall.MNT_DETACH) }) // unless it was, below
		if code := tr.run(nil, "convene", "Shall we?", "--quiet", "--config", tr.config()); code != cli.ExitOK {
			full++
			if code != cli.ExitError || !strings.Contains(tr.errs.String(), "Free some space") {
				t.Fatalf("%d pages: exit code %d\n%s", pages, code, &tr.errs)
			}
			if err := syscall.Mount("council-test", work, "tmpfs", syscall.MS_REMOUNT, size(4096)); err != nil {
				t.Fatal(err)
			}
		}
		tr.resumed(u, fmt.Sprintf("full after %d pages", pages))
		if err := syscall.Unmount(work, 0); err != nil {
			t.Fatalf("something of the record is still open: %v", err)
		}
		tr.clear()
	}
	if full < 3 {
		t.Errorf("only %d of the file systems became full", full)
	}
	t.Logf("%d file systems became full", full)
}
