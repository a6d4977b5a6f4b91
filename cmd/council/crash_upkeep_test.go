package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

// spoken is what every member says in the sessions of a market.
const spoken = "A remark."

// kept returns a record with a closed session and a person's correction, and how to restore it for the next trial.
func (m *market) kept(t *testing.T) (tr *trial, restore func()) {
	tr = m.trial(t, filepath.Join(t.TempDir(), "site"), "upkeep")
	tr.wants(tr.convene(nil), cli.ExitOK)
	tr.wants(tr.run(nil, "memory", "add", spoken+" Nobody else says so."), cli.ExitOK)
	return tr, restorable(t, tr.root())
}

// restorable copies a record, and returns how to put the copy in its place, with the times and modes of its files.
func restorable(t testing.TB, root string) (restore func()) {
	kept := filepath.Join(t.TempDir(), "kept")
	copied := func(from, to string) {
		t.Helper()
		check.OK(t, os.CopyFS(to, os.DirFS(from)))
		check.OK(t, filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			path = to + strings.TrimPrefix(path, from)
			return errors.Join(os.Chmod(path, info.Mode()), os.Chtimes(path, info.ModTime(), info.ModTime()))
		}))
	}
	copied(root, kept)
	return func() {
		t.Helper()
		check.OK(t, os.RemoveAll(root))
		copied(kept, root)
	}
}

// killed strikes a command as strikes says, and calls after for what is left.
func (tr *trial) killed(operations []string, stride int, restore func(), after func(what string), args ...string) {
	tr.Helper()
	all := slices.DeleteFunc(strikes(operations, stride), func(one strike) bool {
		return !slices.Contains(operations, one.on) // one of those that a session has
	})
	for _, one := range all {
		restore()
		plan := &filetest.Plan{On: one.on, Moment: one.moment}
		tr.run(plan, args...)
		if tr.struck(plan) {
			after(fmt.Sprintf("killed at %s, moment %d", one.on, one.moment))
		}
	}
	tr.Logf("%d strikes at %d operations of council %s", len(all), len(operations), strings.Join(args, " "))
}

// holding lists the files of a record that hold words, whatever they are.
func (tr *trial) holding(words string) (found []string) {
	tr.Helper()
	for path, text := range check.Files(tr, tr.root()) {
		if strings.Contains(text, words) {
			found = append(found, path)
		}
	}
	return found
}

// TestCrashUpkeep_ForgettingAndUpkeepThatAreKilledAreFinished kills commands anywhere. Of a forgetting, the next
// command that uses memory finishes it, or nothing was forgotten; all else the same command does. It ends where an
// undisturbed one does.
func TestCrashUpkeep_ForgettingAndUpkeepThatAreKilledAreFinished(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, restore := newMarket(t, 3).kept(t)
	lose := func(names ...string) func() {
		return func() {
			restore()
			for _, name := range names {
				check.OK(t, os.RemoveAll(filepath.Join(tr.root(), name)))
			}
		}
	}
	aged := func() { // and nothing is waited for
		restore()
		tr.later = 0
		tr.wants(tr.run(nil, "approve", crashSession, "--reject", "Not now."), cli.ExitOK)
		tr.later = 90 * 24 * time.Hour
	}
	archived := func() { aged(); tr.wants(tr.run(nil, "record", "gc", "--apply"), cli.ExitOK) }
	const forget = "memory forget --yes --phrase"
	for _, one := range []struct {
		prepare func()
		line    string
		stride  int
	}{
		{restore, forget, 149},
		{archived, forget, 211},
		{lose("sessions/"+crashSession+"/transcript.md", "sessions/"+crashSession+"/session.json"),
			"record rebuild " + crashSession, 151},
		{lose("memory/COUNCIL.json", "memory/m1", "turns", "episodes", "council.db"), "memory rebuild", 151},
		{aged, "record gc --retention 30 --apply", 151},
	} {
		args := strings.Fields(one.line)
		if one.line == forget {
			args = append(args, spoken)
		}
		one.prepare()
		prepared, whole := restorable(t, tr.root()), &filetest.Plan{}
		tr.wants(tr.run(whole, args...), cli.ExitOK)
		if found := tr.holding(spoken); one.line == forget && len(found) > 0 {
			t.Fatalf("undisturbed, it leaves %q", found)
		}
		want, begun := tr.unlocked(), 0
		tr.killed(whole.Operations(), one.stride, prepared, func(what string) {
			tr.wants(tr.run(nil, "memory", "list"), cli.ExitOK)
			if one.line == forget && len(tr.holding(spoken)) == 0 {
				begun++
			} else {
				tr.wants(tr.run(nil, args...), cli.ExitOK)
			}
			if diff := cmp.Diff(want, tr.unlocked()); diff != "" {
				t.Fatalf("%s, %s (-undisturbed +finished):\n%.4000s", one.line, what, diff)
			}
			tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
			tr.wants(tr.run(nil, "memory", "check"), cli.ExitOK)
		}, args...)
		if one.line == forget && begun == 0 {
			t.Error("the next command never finished it")
		}
		tr.later = 0
	}
}

// unlocked is [trial.files] without the locks, which say who had them last.
func (tr *trial) unlocked() map[string]string {
	tr.Helper()
	files := tr.files()
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, ".lock") })
	return files
}

// TestCrashUpkeep_ALogThatWasCutIsFoundByWhatMemoryKnows cuts the last events off a closed session that has no anchor,
// and has all its files rendered again. The conversations hold none of the last consequences, but memory and the
// episode were made from the whole log.
func TestCrashUpkeep_ALogThatWasCutIsFoundByWhatMemoryKnows(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, restore := newMarket(t, 3).kept(t)
	for _, without := range []string{"", "episodes", "memory"} {
		restore()
		path := tr.session("events.json")
		log := check.Get(os.ReadFile(path))(t)
		cut := append(log[:bytes.LastIndex(log, []byte("\n,{"))+1], ']')
		check.OK(t, errors.Join(os.WriteFile(path, cut, 0o600), os.RemoveAll(filepath.Join(tr.root(), without, "2026")),
			os.RemoveAll(tr.session("anchors"))))
		if without == "memory" {
			check.OK(t, os.RemoveAll(filepath.Join(tr.root(), "memory")))
		}
		tr.wants(tr.run(nil, "record", "rebuild", crashSession), cli.ExitOK)
		tr.wants(tr.run(nil, "verify", crashSession), cli.ExitDamaged)
		for by, expected := range map[string]bool{"The journal of memory": without != "memory",
			"The episode": without != "episodes"} {
			if strings.Contains(tr.out.String(), by) != expected {
				t.Errorf("without %q, %s: expected %v\n%s", without, by, expected, &tr.out)
			}
		}
		check.Says(t, tr.out.String(), "it has been cut short")
	}
}

// TestCrashUpkeep_ForgettingWaitsForASessionInUse has another process hold the session: all else is forgotten, the
// command says why not everything is, and the next one finishes it.
func TestCrashUpkeep_ForgettingWaitsForASessionInUse(t *testing.T) {
	tr, _ := newMarket(t, 3).kept(t)
	root := check.Get(recorder.OpenRoot(tr.root()))(t)
	defer root.Close()
	held := check.Get(root.Resume(crashSession, tr.app().Clock()))(t)
	tr.wants(tr.run(nil, "memory", "forget", "--phrase", spoken, "--yes"), cli.ExitSuspended)
	check.Says(t, tr.errs.String(), "the next command goes on with it")
	check.Says(t, strings.Join(tr.holding(spoken), " "), "/.forgetting")
	check.OK(t, held.Close())
	tr.wants(tr.run(nil, "memory", "list"), cli.ExitOK)
	if found := tr.holding(spoken); len(found) > 0 || !strings.Contains(tr.errs.String(), "is forgotten now") {
		t.Errorf("the next command leaves %q\n%s", found, &tr.errs)
	}
}

// TestCrashUpkeep_ForgettingLooksAtAllPlaces puts back, after words were forgotten, one place each that held them: the
// same command finds them there, though no log holds them.
func TestCrashUpkeep_ForgettingLooksAtAllPlaces(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, restore := newMarket(t, 3).kept(t)
	forget := []string{"memory", "forget", "--phrase", spoken}
	olds := map[string]string{}
	for _, place := range []string{"turns", "episodes", "council.db", "memory/journal.jsonl",
		"sessions/" + crashSession + "/transcript.md"} {
		olds[place] = filepath.Join(t.TempDir(), "old")
		check.OK(t, os.Rename(filepath.Join(tr.root(), place), olds[place]))
		restore()
	}
	tr.wants(tr.run(nil, append(forget, "--yes")...), cli.ExitOK)
	forgotten := restorable(t, tr.root())
	for place, old := range olds {
		forgotten()
		place = filepath.Join(tr.root(), place)
		check.OK(t, errors.Join(os.RemoveAll(place), os.Rename(old, place)))
		if len(tr.holding(spoken)) == 0 {
			continue // it never held them
		}
		if strings.HasSuffix(place, "journal.jsonl") { // older than the books, it counts as damaged
			tr.wants(tr.run(nil, "memory", "rebuild"), cli.ExitOK)
		}
		tr.wants(tr.run(nil, forget...), cli.ExitOK)
		check.Says(t, tr.out.String(), "say the same with --yes")
		tr.wants(tr.run(nil, append(forget, "--yes")...), cli.ExitOK)
		check.Equal(t, place+": the second forgetting leaves", []string(nil), tr.holding(spoken))
	}
}
