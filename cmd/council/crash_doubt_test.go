package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

func TestAQuestionInDoubtIsListedAndAskedAgain(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr := doubtful(t)
	tr.wants(tr.resume(nil, crashSession), cli.ExitOK)
	check.Says(t, tr.errs.String(), "not known whether that was paid for", "\n  turn of m2 (p1.r1.t2.turn.m2)\n",
		"asked again")
	if _, again := tr.market.bill(tr.key); !cmp.Equal(again, map[string]int{"m2": 1}) {
		t.Errorf("bought again: %v", again)
	}
}

func TestASessionUnderOtherRulesIsRefusedAndLeftAlone(t *testing.T) {
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
