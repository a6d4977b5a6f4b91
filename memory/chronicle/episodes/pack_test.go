package episodes_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
)

var december = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// fill keeps n sessions, two a day in November, and one in December.
func fill(t testing.TB, s *episodes.Files, n int) {
	t.Helper()
	for i := range n {
		keep(t, s, counciltest.LogOf(council.SessionID(fmt.Sprintf("202611%02d-%06d-session", i/2%30+1, i)),
			counciltest.WholeSession()))
	}
	keep(t, s, counciltest.LogOf("20261201-000000-session", counciltest.AdjournedSession()))
}

func TestPack_DryRunReturnsThePlan(t *testing.T) {
	path := t.TempDir()
	plan := &filetest.Plan{}
	s := openFiles(t, path, plan)
	fill(t, s, 6)
	before, operations := tree(t, path), plan.Count()
	told := check.Get(s.Pack(december, false))(t)
	check.Is(t, "operations", operations, plan.Count())
	done := check.Get(s.Pack(december, true))(t)
	check.Equal(t, "result", told, done)
	after := tree(t, path)
	check.Is(t, "sessions are packed, all of November", 6, len(done))
	gone := 0
	for _, p := range done {
		if len(after[p.Pack]) == 0 || len(p.Problems) > 0 || p.Files != 18 {
			t.Errorf("%+v; the pack has %d bytes", p, len(after[p.Pack]))
		}
		gone += p.Files - 1
	}
	check.Is(t, "files are gone", gone, len(before)-len(after))
	again, err := s.Pack(december, true)
	check.That(t, err == nil && len(again) == 0, "packing again: %+v, %v", again, err)
	check.Equal(t, "packing again changed", after, tree(t, path))
}

// packed returns the files in the pack of shallWe.
func packExt(t testing.TB, path string) map[string]string {
	t.Helper()
	r := check.Get(zip.OpenReader(filepath.Join(path, pack)))(t)
	defer r.Close()
	all := map[string]string{}
	for _, f := range r.File {
		in := check.Get(f.Open())(t)
		text := check.Get(io.ReadAll(in))(t)
		all[f.Name] = string(text)
	}
	return all
}

// pack is where the pack of shallWe is.
const pack = "turns/2026/11/21/" + string(shallWe) + ".zip"

func TestPack_SkipsYoungAndUndatedDays(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	for _, id := range []council.SessionID{"20261130-235959-x", "no-date"} {
		keep(t, s, counciltest.LogOf(id, counciltest.AdjournedSession()))
	}
	elsewhere := time.FixedZone("elsewhere", 5*3600) // where December has begun, and in UTC it has not
	before := tree(t, path)
	check.Get(s.Pack(time.Date(2026, 12, 1, 2, 0, 0, 0, elsewhere), true))(t)
	check.Equal(t, "files", before, tree(t, path))
}

func TestPack_NewTurnsReplaceIt(t *testing.T) {
	s, path := pair(t, true)
	whole := tree(t, path)
	keep(t, s, counciltest.LogOf(shallWe, counciltest.WholeSession()))
	check.Equal(t, "the same again", whole, tree(t, path))

	// After a later ruling the turns are files of their own, until they are packed again.
	want, all := keep(t, s, counciltest.LogOf(shallWe, append(counciltest.WholeSession(), counciltest.LateRulings()...)))
	reads(t, s, want, all)
	check.ErrorIs(t, "the pack", os.ErrNotExist, check.Err(os.Stat(filepath.Join(path, pack))))
	check.Get(s.Pack(december, true))(t)
	reads(t, s, want, all)

	// Forgotten words are in no file, the pack included.
	want, all = keep(t, s, counciltest.LogOf(shallWe, counciltest.ForgottenSession()))
	reads(t, s, want, all)
	check.Get(s.Pack(december, true))(t)
	reads(t, s, want, all)
	for name, text := range packExt(t, path) {
		check.That(t, !strings.Contains(text, "Naïve") && !strings.Contains(text, "the operator"), "%s still says: %s", name,
			text)
	}
}

// reads checks the episode and turns of a session.
func reads(t testing.TB, s *episodes.Files, want chronicle.Episode, all []chronicle.Turn) {
	t.Helper()
	got := check.Get(s.Episode(want.ID))(t)
	turns := check.Get(s.Turns(want))(t)
	check.Equal(t, "episode", want, got)
	check.Equal(t, "turns", all, turns)
}

// reading is what is done in a folder and below: files that are read, and how many folders are listed.
type reading struct {
	files  map[string]bool
	listed int
}

// counting opens the store in a folder and counts its reads, bytes included.
func counting(t testing.TB, path string) (*episodes.Files, *reading, *filetest.Plan) {
	t.Helper()
	n := &reading{files: map[string]bool{}}
	plan := &filetest.Plan{Ahead: func(kind, name string) {
		switch kind {
		case "read":
			n.files[name] = true
		case "list":
			n.listed++
		}
	}}
	return openFiles(t, path, plan), n, plan
}

// It reads no other turn or session, and lists no folder.
func TestTurn_OpensOneFile(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	const id = "20261107-000000-session"
	e, all := keep(t, s, counciltest.LongSession(id, 60))
	keep(t, s, counciltest.LongSession(id+"-2", 60))
	whole := int64(0)
	for _, packed := range []bool{false, true} {
		if packed {
			check.Get(s.Pack(december, true))(t)
			info := check.Get(os.Stat(filepath.Join(path, "turns/2026/11/07", id+".zip")))(t)
			whole = info.Size()
		}
		s, n, plan := counting(t, path)
		got := check.Get(s.Turn(id + ".e200"))(t)
		check.Equal(t, "result", all[199], got)
		check.Is(t, "files that are read", 1, len(n.files))
		check.Is(t, "listed folders", 0, n.listed)
		// Of a pack the directory is read, some 100 bytes for each turn, and the turn.
		if most := int64(len(got.Text)) + 512; !packed && plan.Read.Load() > most {
			t.Errorf("%d bytes were read, want at most %d", plan.Read.Load(), most)
		}
		if most := int64(130*len(all)) + 16<<10; packed && plan.Read.Load() > most {
			t.Errorf("of a pack of %d bytes and %d turns %d bytes were read, want at most %d", whole, len(all), plan.Read.Load(),
				most)
		}
		t.Logf("packed %t: %d bytes were read, and the pack has %d", packed, plan.Read.Load(), whole)
		*n = reading{files: map[string]bool{}}
		// Listing the day for each session took most of the time of memory check at a thousand sessions.
		check.Equal(t, "turns", all, check.Get(s.Turns(e))(t))
		if n.listed != 0 || packed && len(n.files) != 1 {
			t.Errorf("packed %t: %d folders were listed and %d files read for all turns", packed, n.listed, len(n.files))
		}
		*n = reading{files: map[string]bool{}}
		if _, err := s.Turn(id + ".e99999"); !errors.Is(err, episodes.ErrUnknown) || len(n.files) > 1 {
			t.Errorf("packed %t, unknown: %d files were read, %v", packed, len(n.files), err)
		}
	}
}

// A pack is replaced just before it is opened.
func TestTurn_FoundWhileItLeavesThePack(t *testing.T) {
	s, path := pair(t, true)
	reader := openFiles(t, path, &filetest.Plan{Ahead: func(kind, name string) {
		if kind == "open" && strings.HasSuffix(name, ".zip") {
			keep(t, s, counciltest.LogOf(shallWe, append(counciltest.WholeSession(), counciltest.LateRulings()...)))
		}
	}})
	check.Is(t, "turn", string(shallWe)+".e9", check.Get(reader.Turn(string(shallWe)+".e9"))(t).ID)
}
