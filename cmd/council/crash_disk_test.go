package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/ledger"
)

// TestADiskThatFailsCostsNothing lets each operation fail, once or with all later ones of its kind, and holds the
// session that is resumed on a mended disk against one that nothing happened to.
func TestADiskThatFailsCostsNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	for _, fault := range []struct {
		name    string
		err     error
		forever bool
	}{
		{"full for ever", syscall.ENOSPC, true}, {"failing once", syscall.EIO, false},
		{"full once", syscall.ENOSPC, false}, {"failing for ever", syscall.EIO, true},
	}[:counciltest.Often(2, 4)] {
		t.Run(fault.name, func(t *testing.T) {
			each(t, 797, func(tr *trial, u undisturbed, s strike) {
				if s.moment == filetest.After {
					return // it was done: nothing failed
				}
				what := fmt.Sprintf("%s at %s, moment %d", fault.name, s.on, s.moment)
				plan := &filetest.Plan{On: s.on, Moment: s.moment, Err: fault.err, Forever: fault.forever}
				code := tr.convene(plan)
				if !tr.struck(plan) {
					return
				}
				if strings.HasPrefix(s.on, "truncate "+crashSession+".lock #2") && code == cli.ExitOK {
					return // to strike out the holder's name is for people; the kernel gives the lock back
				}
				if code == cli.ExitOK && (strings.Contains(s.on, "audit.head") ||
					strings.Contains(tr.errs.String(), "the end of this run is not in the ledger")) {
					return // the head may lag behind, and a run without an end counts as cut off
				}
				lines, _ := os.ReadFile(filepath.Join(tr.root(), ledger.Folder, "audit.jsonl"))
				if code == cli.ExitOK && bytes.Count(lines, []byte(`"type":"settled"`)) < bytes.Count(lines,
					[]byte(`"type":"call"`)) {
					return // what the call took could not be noted: it counts with its estimate
				}
				if code != cli.ExitError || !strings.Contains(tr.errs.String(), "council resume") {
					tr.Fatalf("%s: exit code %d, and it says:\n%s", what, code, &tr.errs)
				}
				if fault.forever {
					sick := &filetest.Plan{At: 1, Err: fault.err, Forever: true}
					if code := tr.resume(sick, crashSession); code != cli.ExitError {
						tr.Fatalf("%s: exit code %d while it lasts:\n%s", what, code, &tr.errs)
					}
				}
				tr.resumed(u, what)
			})
		})
	}
}
