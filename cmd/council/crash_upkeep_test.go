package main

import (
	"bytes"
	"encoding/json"
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
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// spoken is what every member says in the sessions of a market.
const spoken = "A remark."

// kept returns a record with a closed session and a person's correction, and a copy of it to begin every trial from.
func (m *market) kept(t *testing.T) (tr *trial, restore func()) {
	tr = m.trial(t, filepath.Join(t.TempDir(), "site"), "upkeep")
	tr.wants(tr.convene(nil), cli.ExitOK)
	tr.wants(tr.run(nil, "memory", "add", spoken+" Nobody else says so."), cli.ExitOK)
	copied := copyRecord(t, tr.root(), tr.dir+"-copy")
	return tr, func() {
		t.Helper()
		check.OK(t, os.RemoveAll(tr.root()))
		copyRecord(t, copied, tr.root())
	}
}

// copyRecord copies a record with the times and modes of its files.
func copyRecord(t *testing.T, from, to string) string {
	t.Helper()
	err := os.CopyFS(to, os.DirFS(from))
	if err == nil {
		err = filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			path = to + strings.TrimPrefix(path, from)
			return errors.Join(os.Chmod(path, info.Mode()), os.Chtimes(path, info.ModTime(), info.ModTime()))
		})
	}
	check.OK(t, err)
	return to
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

// TestForgettingThatIsKilledIsFinishedByTheNextCommand kills memory forget anywhere. The next command of any kind that
// uses memory ends where an undisturbed forgetting does, or nothing was forgotten, and the same command does all of it.
func TestForgettingThatIsKilledIsFinishedByTheNextCommand(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, restore := newMarket(t, 3).kept(t)
	forget := []string{"memory", "forget", "--phrase", spoken, "--yes"}
	whole := &filetest.Plan{}
	tr.wants(tr.run(whole, forget...), cli.ExitOK)
	if found := tr.holding(spoken); len(found) > 0 {
		t.Fatalf("undisturbed, it leaves %q", found)
	}
	want := tr.unlocked()
	begun := 0
	tr.killed(whole.Operations(), 89, restore, func(what string) {
		tr.wants(tr.run(nil, "memory", "list"), cli.ExitOK)
		if found := tr.holding(spoken); len(found) == 0 {
			begun++
		} else { // it was killed before it was noted what to forget
			if !strings.Contains(strings.Join(found, " "), "events.json") {
				t.Fatalf("%s: the log has forgotten, and these have not: %q\n%s", what, found, &tr.errs)
			}
			tr.wants(tr.run(nil, forget...), cli.ExitOK)
		}
		if diff := cmp.Diff(want, tr.unlocked()); diff != "" {
			t.Fatalf("%s (-undisturbed +finished):\n%.4000s", what, diff)
		}
		tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
	}, forget...)
	if begun == 0 {
		t.Error("the next command never finished it")
	}
}

// unlocked is [trial.files] without the locks, which say who had them last.
func (tr *trial) unlocked() map[string]string {
	tr.Helper()
	files := tr.files()
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, ".lock") })
	return files
}

// TestUpkeepThatIsKilledIsDoneByTheSameCommand kills rebuild, memory rebuild and gc anywhere. Nothing is lost, and the
// same command ends where an undisturbed one does.
func TestUpkeepThatIsKilledIsDoneByTheSameCommand(t *testing.T) {
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
	for _, one := range []struct {
		prepare func()
		args    []string
	}{
		{prepare: lose("sessions/"+crashSession+"/transcript.md", "sessions/"+crashSession+"/session.json"),
			args: []string{"record", "rebuild", crashSession}},
		{prepare: lose("memory/COUNCIL.json", "memory/m1", "turns", "episodes", "council.db"),
			args: []string{"memory", "rebuild"}},
		{prepare: aged, args: []string{"record", "gc", "--retention", "30", "--apply"}},
	} {
		one.prepare()
		whole := &filetest.Plan{}
		tr.wants(tr.run(whole, one.args...), cli.ExitOK)
		want := tr.unlocked()
		tr.killed(whole.Operations(), 101, one.prepare, func(what string) {
			tr.wants(tr.run(nil, one.args...), cli.ExitOK)
			if diff := cmp.Diff(want, tr.unlocked()); diff != "" {
				t.Fatalf("%s (-undisturbed +done again):\n%.4000s", what, diff)
			}
			tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
			tr.wants(tr.run(nil, "memory", "check"), cli.ExitOK)
		}, one.args...)
		tr.later = 0
	}
}

// TestALogThatWasCutIsFoundByWhatMemoryKnows cuts the last events off a closed session that has no anchor, and has all
// its files rendered again. The conversations hold none of the last consequences, but memory and the episode were made
// from the whole log.
func TestALogThatWasCutIsFoundByWhatMemoryKnows(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, restore := newMarket(t, 3).kept(t)
	for _, without := range []string{"", "episodes", "memory"} {
		restore()
		folder := filepath.Join(tr.root(), "sessions", crashSession)
		path := filepath.Join(folder, "events.json")
		log := check.Get(os.ReadFile(path))(t)
		cut := append(log[:bytes.LastIndex(log, []byte("\n,{"))+1], ']')
		check.OK(t, errors.Join(os.WriteFile(path, cut, 0o600), os.RemoveAll(filepath.Join(tr.root(), without, "2026")),
			os.RemoveAll(filepath.Join(folder, "anchors"))))
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

// TestMemoryInAFolderOfTheRecordIsRefused names a folder that the record keeps for itself. Nothing is made there.
func TestMemoryInAFolderOfTheRecordIsRefused(t *testing.T) {
	m := newMarket(t, 3)
	tr := m.trial(t, filepath.Join(t.TempDir(), "site"), "inside")
	for _, name := range []string{"sessions", "sessions/memory", "turns", "locks/here"} {
		var c map[string]any
		check.OK(t, json.Unmarshal(m.doc, &c))
		c["storage"].(map[string]any)["memoryDir"] = filepath.Join(tr.root(), name)
		doc := check.Get(json.Marshal(c))(t)
		check.OK(t, os.WriteFile(tr.config(), doc, 0o600))
		tr.wants(tr.convene(nil), cli.ExitError)
		if !strings.Contains(tr.errs.String(), "name another folder in storage.memoryDir") {
			t.Errorf("%s: it says\n%s", name, &tr.errs)
		}
		if calls, _ := m.bill(tr.key); calls > 0 {
			t.Errorf("%s: %d calls were made", name, calls)
		}
		check.ErrorIs(t, name, fs.ErrNotExist, check.Err(os.Stat(filepath.Join(tr.root(), name, "COUNCIL.json"))))
	}
}

// TestAnArchivedSessionIsStillThere has every command that reads tell the same before and after a session is archived,
// and those that write refuse it until it is restored.
func TestAnArchivedSessionIsStillThere(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, _ := newMarket(t, 3).kept(t)
	reads := func() string {
		var all strings.Builder
		for _, line := range []string{"sessions", "sessions --json", "show latest", "show --list", "show --cost",
			"show --events", "verify " + crashSession, "verify --all", "record replay",
			"record turns list latest", "record episodes show", "recall remark", "approve " + crashSession + " --show",
			"memory check", "memory list", "record fsck",
			"usage --json", "usage --by session", "record runs list", "record episodes list"} {
			tr.wants(tr.run(nil, strings.Fields(line)...), cli.ExitOK)
			all.WriteString("$ council " + line + "\n" + tr.out.String() + tr.errs.String())
		}
		return all.String()
	}
	tr.wants(tr.run(nil, "record", "gc", "--retention", "0", "--apply"), cli.ExitOK)
	check.Says(t, tr.out.String(), crashSession+" stays: its execution awaits approval")
	tr.wants(tr.run(nil, "approve", crashSession, "--reject", "Not now."), cli.ExitOK)
	before, files := reads(), tr.unlocked()

	tr.later = 89 * 24 * time.Hour
	tr.wants(tr.run(nil, "record", "gc", "--apply"), cli.ExitOK)
	check.ErrorIs(t, "it was archived a day too early", fs.ErrNotExist, check.Err(os.Stat(filepath.Join(tr.root(),
		"archive"))))
	tr.later = 91 * 24 * time.Hour
	tr.wants(tr.run(nil, "record", "gc", "--apply"), cli.ExitOK)
	tr.wants(tr.run(nil, "record", "gc", "--apply"), cli.ExitOK)
	if !strings.HasPrefix(tr.out.String(), "There is nothing to archive or pack from before") {
		t.Errorf("a second run:\n%s", &tr.out)
	}
	tr.later = 0
	check.Equal(t, "it", before, reads())
	tr.wants(tr.run(nil, "show", "--path"), cli.ExitOK)
	if !strings.HasSuffix(tr.out.String(), "/archive/2026-11/"+crashSession+".zip\n") {
		t.Errorf("it is said to be in %s", &tr.out)
	}
	for _, line := range []string{"resume " + crashSession, "say latest remember", "record rebuild latest"} {
		tr.wants(tr.run(nil, strings.Fields(line)...), cli.ExitError)
		if !strings.Contains(tr.errs.String(), "council record gc restore") {
			t.Errorf("%s does not say what to do:\n%s", line, &tr.errs)
		}
	}
	tr.wants(tr.run(nil, "record", "rebuild", "--all"), cli.ExitOK)
	tr.wants(tr.run(nil, "memory", "rebuild"), cli.ExitOK)
	check.Equal(t, "it", before, reads())

	tr.wants(tr.run(nil, "record", "gc", "restore", "latest"), cli.ExitOK)
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
	tr.wants(tr.run(nil, "record", "gc", "--apply"), cli.ExitOK)
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

// TestForgettingWaitsForASessionInUse has another process hold the session: all else is forgotten, the command says why
// not everything is, and the next one finishes it.
func TestForgettingWaitsForASessionInUse(t *testing.T) {
	tr, _ := newMarket(t, 3).kept(t)
	root := check.Get(recorder.OpenRoot(tr.root()))(t)
	defer root.Close()
	held := check.Get(root.Resume(crashSession, tr.app().Clock()))(t)
	tr.wants(tr.run(nil, "memory", "forget", "--phrase", spoken, "--yes"), cli.ExitSuspended)
	check.Says(t, tr.errs.String(), "the next command goes on with it")
	if found := tr.holding(spoken); !strings.Contains(strings.Join(found, " "), "/.forgetting") {
		t.Errorf("the intent is not kept: %q", found)
	}
	check.OK(t, held.Close())
	tr.wants(tr.run(nil, "memory", "list"), cli.ExitOK)
	if found := tr.holding(spoken); len(found) > 0 || !strings.Contains(tr.errs.String(), "is forgotten now") {
		t.Errorf("the next command leaves %q\n%s", found, &tr.errs)
	}
}

// TestForgettingLooksAtAllPlaces puts back, after words were forgotten, one place each that held them: the same command
// finds them there, though no log holds them.
func TestForgettingLooksAtAllPlaces(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, restore := newMarket(t, 3).kept(t)
	forget := []string{"memory", "forget", "--phrase", spoken}
	for _, place := range []string{"turns", "episodes", "council.db", "memory/journal.jsonl",
		"sessions/" + crashSession + "/transcript.md"} {
		restore()
		old := filepath.Join(t.TempDir(), "old")
		check.OK(t, os.Rename(filepath.Join(tr.root(), place), old))
		restore()
		tr.wants(tr.run(nil, append(forget, "--yes")...), cli.ExitOK)
		check.OK(t, errors.Join(os.RemoveAll(filepath.Join(tr.root(), place)),
			os.Rename(old, filepath.Join(tr.root(), place))))
		if len(tr.holding(spoken)) == 0 {
			continue // it never held them
		}
		if place == "memory/journal.jsonl" { // older than the books, it counts as damaged
			tr.wants(tr.run(nil, "memory", "rebuild"), cli.ExitOK)
		}
		tr.wants(tr.run(nil, forget...), cli.ExitOK)
		if !strings.Contains(tr.out.String(), "say the same with --yes") {
			t.Errorf("%s: it does not see the words:\n%s%s", place, &tr.out, &tr.errs)
		}
		tr.wants(tr.run(nil, append(forget, "--yes")...), cli.ExitOK)
		if found := tr.holding(spoken); len(found) > 0 {
			t.Errorf("%s: the second forgetting leaves %q", place, found)
		}
	}
}
