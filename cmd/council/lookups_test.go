package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
)

// Wherever a session is killed, what is counted of its tools is the same once it has gone on.
func TestLookups_KilledAfterACallOfAToolItCountsTheSame(t *testing.T) {
	counciltest.NotUnderRace(t)
	dir := filepath.Join(t.TempDir(), "site")
	plan := &filetest.Plan{}
	tr := findersDesk(t, dir)
	tr.wants(tr.run(plan, "convene", "Shall we?", "--config", tr.config()), cli.ExitOK)
	want, operations := tr.files(), plan.Operations()
	for i := 5; i < len(operations); i += counciltest.Often(150, 1) {
		tr.clear()
		tr = findersDesk(t, dir)
		plan := &filetest.Plan{On: operations[i], Moment: filetest.After}
		tr.run(plan, "convene", "Shall we?", "--config", tr.config())
		if !tr.struck(plan) {
			continue
		}
		if code := tr.run(nil, "resume", crashSession); code == cli.ExitError {
			tr.wants(tr.run(nil, "convene", "Shall we?", "--config", tr.config()), cli.ExitOK) // it had not begun
		} else {
			tr.wants(code, cli.ExitOK)
		}
		if diff := cmp.Diff(want, tr.files()); diff != "" {
			t.Fatalf("killed at %s (-undisturbed +resumed):\n%.3000s", operations[i], diff)
		}
	}
}
