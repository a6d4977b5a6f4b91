package main

import (
	"context"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
)

func TestCrashDoubt_ASessionUnderOtherRulesIsRefusedAndLeftAlone(t *testing.T) {
	tr := newMarket(t, 3).trial(t, t.TempDir(), "rules")
	tr.convene(&filetest.Plan{On: "write m2.jsonl #6"})
	root := check.Get(recorder.FindRoot(tr.root()))(t)
	entries := check.Get(root.Read(crashSession))(t)
	opening := entries[0].Event
	started := opening.Payload.(council.SessionStarted)
	started.Rules, started.Session = 99, "other-rules"
	opening.Payload = started
	tr.layer = nil
	a := tr.app()
	folder := check.Get(root.Create("other-rules", a.Clock()))(t)
	check.OK(t, folder.Append(opening))
	check.OK(t, folder.Close())
	before := tr.sessionFiles()
	if code := runLine(a, context.Background(), []string{"resume", "other-rules", "--root",
		tr.root()}); code != cli.ExitError {
		t.Errorf("exit code %d", code)
	}
	if words := tr.errs.String(); !strings.Contains(words, "version 99") ||
		!strings.Contains(words, "Nothing was changed") {
		t.Errorf("it says:\n%s", words)
	}
	check.Equal(t, "something was written", before, tr.sessionFiles())
}
