package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// TestAnArchivedSessionIsStillThere has every command that reads tell the same before and after a session is archived,
// and those that write refuse it until it is restored.
func TestAnArchivedSessionIsStillThere(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, _ := newMarket(t, 3).kept(t)
	reads := func() string {
		var all strings.Builder
		for _, line := range []string{"sessions", "sessions --json", "show latest", "show --list", "show --cost",
			"show --events", "verify " + crashSession, "verify --all", "replay",
			"turns list latest", "episodes show", "recall remark", "approve " + crashSession + " --show",
			"memory check", "memory list", "fsck",
			"usage --json", "usage --by session", "runs list", "episodes list"} {
			tr.wants(tr.run(nil, strings.Fields(line)...), cli.ExitOK)
			all.WriteString("$ council " + line + "\n" + tr.out.String() + tr.errs.String())
		}
		return all.String()
	}
	tr.wants(tr.run(nil, "gc", "--retention", "0", "--apply"), cli.ExitOK)
	check.Says(t, tr.out.String(), crashSession+" stays: its execution awaits approval")
	tr.wants(tr.run(nil, "approve", crashSession, "--reject", "Not now."), cli.ExitOK)
	before, files := reads(), tr.unlocked()

	tr.later = 89 * 24 * time.Hour
	tr.wants(tr.run(nil, "gc", "--apply"), cli.ExitOK)
	check.ErrorIs(t, "it was archived a day too early", fs.ErrNotExist, check.Err(os.Stat(filepath.Join(tr.root(),
		"archive"))))
	tr.later = 91 * 24 * time.Hour
	tr.wants(tr.run(nil, "gc", "--apply"), cli.ExitOK)
	tr.wants(tr.run(nil, "gc", "--apply"), cli.ExitOK)
	if !strings.HasPrefix(tr.out.String(), "There is nothing to archive or pack from before") {
		t.Errorf("a second run:\n%s", &tr.out)
	}
	tr.later = 0
	check.Equal(t, "it", before, reads())
	tr.wants(tr.run(nil, "show", "--path"), cli.ExitOK)
	if !strings.HasSuffix(tr.out.String(), "/archive/2026-11/"+crashSession+".zip\n") {
		t.Errorf("it is said to be in %s", &tr.out)
	}
	for _, line := range []string{"resume " + crashSession, "say latest remember", "rebuild latest"} {
		tr.wants(tr.run(nil, strings.Fields(line)...), cli.ExitError)
		if !strings.Contains(tr.errs.String(), "council gc restore") {
			t.Errorf("%s does not say what to do:\n%s", line, &tr.errs)
		}
	}
	tr.wants(tr.run(nil, "rebuild", "--all"), cli.ExitOK)
	tr.wants(tr.run(nil, "memory", "rebuild"), cli.ExitOK)
	check.Equal(t, "it", before, reads())

	tr.wants(tr.run(nil, "gc", "restore", "latest"), cli.ExitOK)
	restored := tr.unlocked()
	for name := range files {
		if strings.HasPrefix(name, "sessions/") && files[name] != restored[name] {
			t.Errorf("%s is not what it was", name)
		}
	}
	record := check.Get(recorder.FindRoot(tr.root()))(t)
	defer record.Close()
	var entries []string
	for e, err := range ledger.Read(record.Files(), 1) {
		check.OK(t, err)
		if e.Type == audit.TypeGC {
			entries = append(entries, e.Action+" "+e.What)
		}
	}
	pack := "archive/2026-11/" + crashSession + ".zip"
	if want := []string{"archived " + pack, "packed turns/2026/11/21/" + crashSession + ".zip",
		"restored " + pack}; !slices.Equal(entries, want) {
		t.Errorf("the ledger has %q", entries)
	}
}

// TestArchivedWordsAreForgotten forgets what was said in an archived session: it is taken out for it, and the command
// says so. Killed anywhere, the next command that uses memory finishes it, or nothing was forgotten.
func TestArchivedWordsAreForgotten(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, _ := newMarket(t, 3).kept(t)
	tr.wants(tr.run(nil, "approve", crashSession, "--reject", "Not now."), cli.ExitOK)
	tr.later = 91 * 24 * time.Hour
	tr.wants(tr.run(nil, "gc", "--apply"), cli.ExitOK)
	copied := copyRecord(t, tr.root(), tr.dir+"-archived")
	forget := []string{"memory", "forget", "--phrase", spoken, "--yes"}
	gone := func(what string) {
		t.Helper()
		if found := tr.holding(spoken); len(found) > 0 {
			t.Errorf("%s: these still say it: %q", what, found)
		}
		check.ErrorIs(t, what, fs.ErrNotExist, check.Err(os.Stat(filepath.Join(tr.root(), "archive/2026-11",
			crashSession+".zip"))))
		tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
	}
	whole := &filetest.Plan{}
	tr.wants(tr.run(whole, forget...), cli.ExitOK)
	check.Says(t, tr.out.String(), "taken out of the archive")
	gone("undisturbed")
	tr.killed(whole.Operations(), 113, func() {
		check.OK(t, os.RemoveAll(tr.root()))
		copyRecord(t, copied, tr.root())
	}, func(what string) {
		tr.wants(tr.run(nil, "memory", "list"), cli.ExitOK)
		if len(tr.holding(spoken)) > 0 { // it was killed before it was noted what to forget
			tr.wants(tr.run(nil, forget...), cli.ExitOK)
		}
		gone(what)
	}, forget...)
}
