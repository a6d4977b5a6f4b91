package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
)

// Nothing is wrong with what was asked: so none of these is a usage error.
func TestMemoryThatCannotBeWrittenNow(t *testing.T) {
	for name, test := range map[string]struct {
		hinder func(t *testing.T, memory atomicfile.Files)
		code   int
		hint   string
	}{
		"another command is writing": {func(t *testing.T, memory atomicfile.Files) {
			lock := check.Get(atomicfile.TakeLock(memory, ".lock"))(t)
			t.Cleanup(func() { lock.Release() })
		}, cli.ExitSuspended, "Another council command is writing. Try again in a moment."},
		"a rebuild was interrupted": {func(t *testing.T, memory atomicfile.Files) {
			check.OK(t, atomicfile.Write(memory, ".rebuilding", nil))
		}, cli.ExitError, "Finish it: council memory rebuild"},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), ".council")
			add := func() (int, string) {
				var out, errs bytes.Buffer
				code := runLine(testOnlyApp(&out, &errs), context.Background(),
					[]string{"memory", "add", "All data stays in the EU.", "--root", root})
				return code, errs.String()
			}
			if code, errs := add(); code != cli.ExitOK {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			journal := filepath.Join(root, "memory", "journal.jsonl")
			before := check.Get(os.ReadFile(journal))(t)
			memory := check.Get(atomicfile.OpenDir(filepath.Join(root, "memory")))(t)
			t.Cleanup(func() { memory.Close() })
			test.hinder(t, memory)
			synctest.Test(t, func(t *testing.T) { // a writer waits for another
				if code, errs := add(); code != test.code || !strings.Contains(errs, test.hint) {
					t.Errorf("exit code %d, want %d: %s", code, test.code, errs)
				}
			})
			if after, err := os.ReadFile(journal); err != nil || !bytes.Equal(after, before) {
				t.Errorf("the journal was changed (%v):\n%s", err, after)
			}
		})
	}
}
