package episodes_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
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

func TestADryRunChangesNothingAndSaysWhatAPackDoes(t *testing.T) {
	path := t.TempDir()
	plan := &filetest.Plan{}
	s := openFiles(t, path, plan)
	fill(t, s, 6)
	before, operations := tree(t, path), plan.Count()
	told, err := s.Pack(december, false)
	check(t, err)
	if plan.Count() != operations {
		t.Errorf("operations: %q", plan.Operations()[operations:])
	}
	done, err := s.Pack(december, true)
	check(t, err)
	if diff := cmp.Diff(told, done); diff != "" {
		t.Errorf("(-said +done):\n%s", diff)
	}
	after := tree(t, path)
	for _, p := range done {
		if len(after[p.Pack]) == 0 || len(p.Problems) > 0 {
			t.Errorf("%+v; the pack has %d bytes", p, len(after[p.Pack]))
		}
		// The files and folders go, and one pack comes.
		if p.Folders != 3+1 {
			t.Errorf("%d folders, want three days and their month", p.Folders)
		}
	}
	if gone := len(before) - len(after); gone != done[0].Files+done[0].Folders+done[1].Files+done[1].Folders-2 {
		t.Errorf("%d files and folders are gone", gone)
	}
	again, err := s.Pack(december, true)
	if err != nil || len(again) > 0 {
		t.Errorf("packing again: %+v, %v", again, err)
	}
	if diff := cmp.Diff(after, tree(t, path)); diff != "" {
		t.Errorf("packing again changed:\n%s", diff)
	}
}

func TestPackingSavesNineteenInTwentyAndEverythingOpens(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	fill(t, s, 60)
	inodes := func() int {
		return len(under(tree(t, path), "episodes/2026/11")) + len(under(tree(t, path), "turns/2026/11"))
	}
	before := inodes()
	_, err := s.Pack(december, true)
	check(t, err)
	if after := inodes(); after*20 > before {
		t.Errorf("%d files and folders were made %d", before, after)
	}
	episodes, turns := everythingOpens(t, s, "")
	if episodes != 61 || turns != 60*18+3 {
		t.Errorf("%d episodes and %d turns open", episodes, turns)
	}
	if _, err := os.Stat(filepath.Join(path, "turns/2026/12/01")); err != nil {
		t.Errorf("the month under way: %v", err)
	}
}

// under keeps what begins with a prefix.
func under(all map[string]string, prefix string) map[string]string {
	kept := map[string]string{}
	for name, text := range all {
		if strings.HasPrefix(name, prefix) {
			kept[name] = text
		}
	}
	return kept
}

// Any unzip makes of a pack what was there before.
func TestAPackUnpacksToTheSameFiles(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	fill(t, s, 4)
	want := under(tree(t, path), "turns/2026/11/")
	_, err := s.Pack(december, true)
	check(t, err)
	r, err := zip.OpenReader(filepath.Join(path, "turns/2026/11.zip"))
	check(t, err)
	defer r.Close()
	got := map[string]string{"turns/2026/11/": ""}
	for _, f := range r.File {
		in, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(in)
		check(t, err)
		got["turns/2026/11/"+f.Name], got["turns/2026/11/"+filepath.Dir(f.Name)+"/"] = string(text), ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPackingBitByBitMakesTheSamePack(t *testing.T) {
	once, often := t.TempDir(), t.TempDir()
	a, b := openFiles(t, once, &filetest.Plan{}), openFiles(t, often, &filetest.Plan{})
	fill(t, a, 8)
	_, err := a.Pack(december, true)
	check(t, err)
	for _, n := range []int{3, 0, 8} {
		fill(t, b, n)
		_, err := b.Pack(december, true)
		check(t, err)
	}
	if diff := cmp.Diff(tree(t, once), tree(t, often)); diff != "" {
		t.Error(diff)
	}
}

func TestAPackThatWasKilledIsEndedByTheNext(t *testing.T) {
	path := t.TempDir()
	plan := &filetest.Plan{}
	two := func(s *episodes.Files) {
		keep(t, s, counciltest.LogOf(shallWe, counciltest.AdjournedSession()))
		keep(t, s, counciltest.LogOf("20261130-000000-b", counciltest.AdjournedSession()))
	}
	s := openFiles(t, path, plan)
	two(s)
	start := plan.Count()
	_, err := s.Pack(december, true)
	check(t, err)
	want := tree(t, path)
	for at := 1; at <= plan.Count()-start; at += stride {
		for _, moment := range []filetest.Moment{filetest.Before, filetest.Half, filetest.After} {
			path := t.TempDir()
			two(openFiles(t, path, &filetest.Plan{}))
			for _, fault := range []error{syscall.ENOSPC, nil} { // the full disk first, then killed at the same place
				struck := &filetest.Plan{At: at, Moment: moment, Err: fault}
				_, err := openFiles(t, path, struck).Pack(december, true)
				if struck.Struck() != "" && err == nil && !locking(struck) {
					t.Fatalf("struck at %d (%s), and nobody was told", at, struck.Struck())
				}
				episodes, turns := everythingOpens(t, openFiles(t, path, &filetest.Plan{}), struck.Struck())
				if episodes != 2 || turns != 2*3 {
					t.Fatalf("struck at %d (%s): %d episodes and %d turns open", at, struck.Struck(), episodes, turns)
				}
			}
			_, err := openFiles(t, path, &filetest.Plan{}).Pack(december, true)
			check(t, err)
			if diff := cmp.Diff(want, tree(t, path)); diff != "" {
				t.Fatalf("struck at %d, moment %d:\n%s", at, moment, diff)
			}
		}
	}
}

func TestMonthsUnderWayAndWithoutADateAreNotPacked(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	for _, id := range []council.SessionID{"20261130-235959-x", "no-date"} {
		keep(t, s, counciltest.LogOf(id, counciltest.AdjournedSession()))
	}
	elsewhere := time.FixedZone("elsewhere", 5*3600) // where December has begun, and in UTC it has not
	before := tree(t, path)
	_, err := s.Pack(time.Date(2026, 12, 1, 2, 0, 0, 0, elsewhere), true)
	check(t, err)
	if diff := cmp.Diff(before, tree(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestWritingIntoAMonthThatIsPacked(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	keep(t, s, counciltest.LogOf(shallWe, counciltest.WholeSession()))
	keep(t, s, counciltest.LogOf(shallWe+"-2", counciltest.WholeSession()))
	_, err := s.Pack(december, true)
	check(t, err)

	// A ruling that comes later stands beside the pack and wins.
	want, all := keep(t, s, counciltest.LogOf(shallWe, append(counciltest.WholeSession(), counciltest.LateRulings()...)))
	reads(t, s, want, all)
	if n := len(under(tree(t, path), "turns/2026/11/21/2")); n != 5 {
		t.Errorf("%d turns stand alone, want the rulings", n)
	}
	_, err = s.Pack(december, true)
	check(t, err)
	reads(t, s, want, all)

	// What is forgotten is in no file any more, the pack included.
	want, all = keep(t, s, counciltest.LogOf(shallWe, counciltest.ForgottenSession()))
	reads(t, s, want, all)
	r, err := zip.OpenReader(filepath.Join(path, "turns/2026/11.zip"))
	check(t, err)
	defer r.Close()
	for _, f := range r.File {
		in, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(in)
		check(t, err)
		if ours := !strings.Contains(f.Name, "-2.e"); ours &&
			(strings.Contains(string(text), "Naïve") || strings.Contains(string(text), "the operator")) {
			t.Errorf("the pack still says: %s", text)
		}
	}
}

// reads checks what the store has of a session.
func reads(t testing.TB, s *episodes.Files, want chronicle.Episode, all []chronicle.Turn) {
	t.Helper()
	got, err := s.Episode(want.ID)
	check(t, err)
	turns, err := s.Turns(want.ID)
	check(t, err)
	if diff := cmp.Diff(want, got) + cmp.Diff(all, turns); diff != "" {
		t.Error(diff)
	}
}

// opens counts the files that are opened.
type opens struct {
	atomicfile.Files
	n *int
}

func (o opens) Open(name string) (atomicfile.File, error) { *o.n++; return o.Files.Open(name) }

func (o opens) Folder(name string) (atomicfile.Files, error) {
	f, err := o.Files.Folder(name)
	return opens{f, o.n}, err
}

func TestATurnOpensTwoFilesAtMost(t *testing.T) {
	path := t.TempDir()
	fill(t, openFiles(t, path, &filetest.Plan{}), 30)
	dir, err := atomicfile.OpenDir(path)
	check(t, err)
	defer dir.Close()
	n := 0
	s := episodes.New(opens{dir, &n})
	for _, packed := range []bool{false, true} {
		if packed {
			_, err := s.Pack(december, true)
			check(t, err)
		}
		n = 0
		_, err := s.Turn("20261107-000012-session.e9")
		check(t, err)
		if n > 2 {
			t.Errorf("packed %t: %d files were opened", packed, n)
		}
		n = 0
		if _, err := s.Turn("20261107-000012-session.e99"); !errors.Is(err, episodes.ErrUnknown) || n > 2 {
			t.Errorf("packed %t, unknown: %d files were opened, %v", packed, n, err)
		}
	}
}
