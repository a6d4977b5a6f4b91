package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/store"
)

func remove(t testing.TB, name string) {
	t.Helper()
	check.OK(t, os.Remove(name))
}

// cutFile leaves a part of a file.
func cutFile(t testing.TB, name string, part float64) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.Truncate(name, int64(float64(len(text))*part))
	}
	check.OK(t, err)
}

// harms damage a file in each way; chmod does nothing to root.
var harms = map[string]func(t testing.TB, name string){
	"cut":     func(t testing.TB, name string) { cutFile(t, name, 0.5) },
	"emptied": func(t testing.TB, name string) { cutFile(t, name, 0) },
	"garbled": func(t testing.TB, name string) {
		text := check.Get(os.ReadFile(name))(t)
		copy(text[len(text)/2:], "\x00\xff\x00garbled")
		write(t, name, string(text))
	},
	"reworded": func(t testing.TB, name string) { // JSON stays JSON
		text := check.Get(os.ReadFile(name))(t)
		write(t, name, strings.Replace(string(text), "point", "paint", 1))
	},
	"chmod": func(t testing.TB, name string) {
		if os.Geteuid() == 0 {
			t.Skip("root may read everything")
		}
		check.OK(t, os.Chmod(name, 0))
	},
	"from the future": func(t testing.TB, name string) {
		text := check.Get(os.ReadFile(name))(t)
		write(t, name, strings.ReplaceAll(strings.ReplaceAll(string(text), `"format": 1`, `"format": 9`), `"format":1`,
			`"format":9`))
	},
	"removed": func(t testing.TB, name string) { remove(t, name) },
}

func TestStore_UnreadableFileIsNamedAndCaughtUp(t *testing.T) {
	past := sittings(5)
	later := []int{5, 6}
	all := sittings(7)
	load := store.Sessions(archiveOf(all...))
	origin, want := withLists(t, past...), tree(t, withLists(t, all...))
	for _, file := range []string{"COUNCIL.json", "m1/MEMORY.json", "m2/MEMORY-2027.json", "COUNCIL-2027.json"} {
		for kind, harm := range harms {
			t.Run(file+" "+kind, func(t *testing.T) {
				dir := copyTree(t, origin)
				archived := strings.Contains(file, "-20")
				name := filepath.Join(dir, file)
				held := check.Get(os.ReadFile(name))(t)
				harm(t, name)
				harmed, _ := os.ReadFile(name)
				s := open(t, dir, load)
				for _, n := range later {
					report := mustClose(t, s, sitting(n))
					check.That(t, len(report.Wrote)+len(report.Left) == 4 && len(report.Wrote) >= 3,
						"close %d: %d books written, %d left", n, len(report.Wrote), len(report.Left))
					for _, l := range report.Left {
						check.That(t, l.Path == file && l.Err != nil, "%s is said to be in the way: %v", l.Path, l.Err)
						now, _ := os.ReadFile(name)
						check.That(t, string(now) == string(harmed), "it was changed")
					}
				}
				if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
				if now, _ := os.ReadFile(name); string(now) == string(harmed) {
					write(t, name, string(held))
				}
				check.Get(s.Recover())(t)
				if archived && (kind == "garbled" || kind == "reworded" || kind == "from the future") {
					return // an append does not read earlier records: a check does
				}
				if diff := cmp.Diff(want, without(tree(t, dir), ".edited-")); diff != "" { // reworded files are kept
					t.Error(diff)
				}
			})
		}
	}
}

// A check names the file first.
func TestRebuild_RepairsAnyFile(t *testing.T) {
	all := sittings(6)
	load := store.Sessions(archiveOf(all...))
	origin := withLists(t, all...)
	want := tree(t, origin)
	var ids []council.SessionID
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	for i, file := range slices.Sorted(maps.Keys(want)) {
		if file == ".lock" {
			continue
		}
		for j, kind := range slices.Sorted(maps.Keys(harms)) {
			if kind == "from the future" && !strings.HasSuffix(file, ".json") || (i+j)%counciltest.Often(11, 1) != 0 {
				continue
			}
			harm := harms[kind]
			t.Run(file+" "+kind, func(t *testing.T) {
				dir := copyTree(t, origin)
				harm(t, filepath.Join(dir, file))
				harmed := tree(t, dir)
				s := open(t, dir, load)
				found := check.Get(s.Check())(t)
				changed := harmed[file] != want[file]
				if named := slices.ContainsFunc(found, func(f store.Found) bool {
					return f.Path == file || file == "journal.jsonl" || f.Path == filepath.Dir(file) ||
						strings.Contains(f.Problem, file)
				}); changed && !named {
					t.Errorf("a check does not name it: %+v", found)
				}
				check.Equal(t, "the check changed something", harmed, tree(t, dir))
				report, err := s.Rebuild(ids...)
				if kind == "from the future" && !strings.Contains(file, "-20") {
					if err != nil || len(report.Left) != 1 || !errors.Is(report.Left[0].Err, store.ErrNewer) {
						t.Fatalf("a newer book is left alone: %v, %+v", err, report.Left)
					}
					return
				}
				if kind == "chmod" && file == "journal.jsonl" { // it may be whole: nothing is made in its place
					check.ErrorIs(t, "a rebuild whose journal is withheld", store.ErrUnreadable, err)
					check.Equal(t, "files", harmed, tree(t, dir))
					return
				}
				check.OK(t, err)
				got := tree(t, dir)
				check.Equal(t, "result", want, without(without(got, ".damaged-"), ".edited-"))
				for _, a := range report.Asides {
					check.Is(t, a.Kept, harmed[a.Path], got[a.Kept])
				}
				if found, err := s.Check(); err != nil ||
					slices.ContainsFunc(found, func(f store.Found) bool { return f.Kind != store.Kept }) {
					t.Errorf("after the rebuild: %v, %+v", err, found)
				}
			})
		}
	}
}

func TestStore_DamagedJournalStopsWriters(t *testing.T) {
	all := sittings(4)
	dir := withLists(t, all[:3]...)
	name := filepath.Join(dir, "journal.jsonl")
	text := check.Get(os.ReadFile(name))(t)
	text[len(text)-100] ^= 1
	write(t, name, string(text))
	before := tree(t, dir)
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	if _, err := s.Close(all[3]); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "journal.jsonl") {
		t.Errorf("a close: %v", err)
	}
	b, err := s.Book("")
	check.That(t, err == nil && len(b.Records) != 0, "a book: %v", err)
	check.Equal(t, "files", before, tree(t, dir))
}

func TestRebuild_SavesRecordsOfPersons(t *testing.T) {
	all := sittings(3)
	dir := withLists(t, all...)
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	word := record("r-byaperson000", "Never on Fridays", start, all[2].ID)
	check.Get(s.Change(changeOf("m1", word), start))(t)
	remove(t, filepath.Join(dir, "journal.jsonl"))
	check.ErrorIs(t, "without the journal a close is refused", store.ErrDamaged, check.Err(s.Close(sitting(3))))
	report := check.Get(s.Rebuild(all[0].ID, all[1].ID, all[2].ID))(t)
	b, err := s.Book("m1")
	check.That(t, err == nil && recordIn(b, word.Summary) != nil, "%v; %+v", err, report)
	if report := mustClose(t, s, sitting(3)); len(report.Left) != 0 {
		t.Errorf("%+v", report)
	}
}

// Without the sessions it cannot be made again: see [store.Store.Edits].
func TestStore_ChangedBookIsDamaged(t *testing.T) {
	all := sittings(4)
	dir := withLists(t, all...)
	harms["reworded"](t, filepath.Join(dir, "m1/MEMORY.json"))
	before := tree(t, dir)
	s := open(t, dir)
	whole, err := s.Book("m2")
	check.OK(t, err)
	refuses := func(what string, err error) {
		t.Helper()
		check.ErrorIs(t, what, store.ErrDamaged, err)
		check.Fails(t, what, err, "m1/MEMORY.json")
	}
	_, err = s.Book("m1")
	refuses("a book", err)
	_, err = s.Record(whole.Records[0].ID)
	refuses("looking for a record", err)
	_, err = s.Change(changeOf("m1", record("r-new", "Something new", start, "")), start)
	refuses("a change", err)
	_, failed := s.All("m1")
	for _, err := range failed {
		refuses("all records", err)
	}
	check.Is(t, "records that cannot be read", 1, len(failed))
	check.Equal(t, "files", before, tree(t, dir))
}

func TestStore_ChangedArchiveRecordIsDamaged(t *testing.T) {
	all := sittings(6)
	dir := withLists(t, all...)
	s := open(t, dir)
	whole, _ := s.All("m1")
	harms["reworded"](t, filepath.Join(dir, "m1/MEMORY-2026.json"))
	read, failed := s.All("m1")
	for _, r := range read {
		check.NeverSays(t, r.Summary, "paint")
	}
	for _, err := range failed {
		check.ErrorIs(t, "the archive", store.ErrDamaged, err)
		check.Fails(t, "the archive", err, "m1/MEMORY-2026.json")
	}
	check.Is(t, "records read", len(whole)-1, len(read))
	check.Is(t, "records refused", 1, len(failed))
}

func TestStore_ReformattedBookIsRead(t *testing.T) {
	all := sittings(3)
	dir := withLists(t, all...)
	name := filepath.Join(dir, "COUNCIL.json")
	text := tree(t, dir)["COUNCIL.json"]
	var compact bytes.Buffer
	check.OK(t, json.Compact(&compact, []byte(text)))
	for layout, other := range map[string]string{
		"compact": compact.String(), "with other lines": strings.ReplaceAll(text, "\n", "\r\n"),
	} {
		write(t, name, other)
		b, err := open(t, dir).Book("")
		check.That(t, err == nil && len(b.Records) != 0, "%s: %v", layout, err)
		harms["reworded"](t, name)
		check.ErrorIs(t, layout, store.ErrDamaged, check.Err(open(t, dir).Book("")))
	}
}

func TestCategories_HaveAllBooks(t *testing.T) {
	all := sittings(3)
	dir := withLists(t, all...)
	page := tree(t, dir)["categories/decision.md"]
	check.Says(t, page, "# Decisions", "in [`COUNCIL.md`](../COUNCIL.md)", "in [m1/MEMORY.md](../m1/MEMORY.md)",
		"“Matter ")
}
