package episodes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder/wire"
)

const shallWe council.SessionID = "20261121-081500-shall-we-7f3k2a"

// openFiles opens a store in a folder, under a plan.
func openFiles(t testing.TB, path string, plan *filetest.Plan) *episodes.Files {
	t.Helper()
	dir := check.Get(atomicfile.OpenDir(path))(t)
	t.Cleanup(func() { check.OK(t, dir.Close()) })
	plan.NoSync = true
	return episodes.New(plan.Watch(dir))
}

// keep writes the episode and turns of a log.
func keep(t testing.TB, s *episodes.Files, log []wire.Entry) (chronicle.Episode, []chronicle.Turn) {
	t.Helper()
	episode, turns := chronicle.Of(log)
	check.OK(t, s.Write(episode, turns))
	return episode, turns
}

// tree has every file in a folder with its content, by its path there.
func tree(t testing.TB, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, text := range check.Files(t, path) {
		all[strings.TrimPrefix(name, path+"/")] = text
	}
	return all
}

func TestWrite_ReadsBack(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	want, all := keep(t, s, counciltest.LogOf(shallWe, counciltest.WholeSession()))
	got := check.Get(s.Episode(shallWe))(t)
	check.Equal(t, "episode", want, got)
	for _, turn := range all {
		check.Equal(t, "turn", turn, check.Get(s.Turn(turn.ID))(t))
	}
	check.Equal(t, "turns", all, check.Get(s.Turns(got))(t))
	if _, err := os.Stat(filepath.Join(path, "turns/2026/11/21", string(shallWe)+".e9.json")); err != nil {
		t.Error(err)
	}
	info := check.Get(os.Stat(filepath.Join(path, "episodes/2026/11/21", string(shallWe)+".json")))(t)
	check.That(t, info.Size() < chronicle.MaxEpisode && info.Mode().Perm() == 0o600, "%d bytes, mode %v", info.Size(),
		info.Mode())
}

func TestWrite_SkipsEqualFiles(t *testing.T) {
	plan := &filetest.Plan{}
	s := openFiles(t, t.TempDir(), plan)
	keep(t, s, counciltest.LogOf(shallWe, counciltest.WholeSession()))
	before := plan.Count()
	keep(t, s, counciltest.LogOf(shallWe, counciltest.WholeSession()))
	done := changes(plan, before)
	check.That(t, len(done) == 0, "%q", done)
	keep(t, s, counciltest.LogOf(shallWe, append(counciltest.WholeSession(), counciltest.LateRulings()...)))
	// The episode and the five rulings that have words: each is created, written and renamed.
	check.Is(t, "operations for rulings", 6*3, len(changes(plan, before)))
}

func TestWrite_RemovesForgottenTurns(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	keep(t, s, counciltest.LogOf(shallWe, counciltest.WholeSession()))
	episode, all := keep(t, s, counciltest.LogOf(shallWe, counciltest.ForgottenSession()))
	fresh := t.TempDir()
	check.OK(t, openFiles(t, fresh, &filetest.Plan{}).Write(episode, all))
	check.Equal(t, "files", tree(t, fresh), tree(t, path))
	check.ErrorIs(t, "the turn that was forgotten", episodes.ErrUnknown, check.Err(s.Turn(string(shallWe)+".e9")))
	check.Is(t, "turn", "[forgotten]", check.Get(s.Turn(string(shallWe)+".e10"))(t).Text)
}

// Writing anew, over turns that are files of their own and over a pack, and packing.
func TestFiles_KilledAndRepeated(t *testing.T) {
	type act = func(*episodes.Files) error
	write := func(id council.SessionID, edit func([]wire.Entry)) act {
		log := counciltest.LogOf(id, counciltest.AdjournedSession())
		edit(log)
		return func(s *episodes.Files) error { return s.Write(chronicle.Of(log)) }
	}
	same := func([]wire.Entry) {}
	before, after := write(shallWe, same), write(shallWe, func(log []wire.Entry) { log[3].Payload = nil })
	other := write("20261130-000000-b", same)
	pack := func(s *episodes.Files) error { return check.Err(s.Pack(december, true)) }
	for name, c := range map[string]struct {
		first []act
		then  act
	}{
		"anew": {nil, before}, "over files": {[]act{before}, after}, "over a pack": {[]act{before, pack}, after},
		"packing": {[]act{before, other}, pack},
	} {
		prepared := func() string {
			path := t.TempDir()
			for _, do := range c.first {
				check.OK(t, do(openFiles(t, path, &filetest.Plan{})))
			}
			return path
		}
		clean, plan := prepared(), &filetest.Plan{}
		check.OK(t, c.then(openFiles(t, clean, plan)))
		want := tree(t, clean)
		for at := 1; at <= plan.Count(); at += stride {
			for _, moment := range []filetest.Moment{filetest.Before, filetest.Half, filetest.After} {
				path := prepared()
				for _, fault := range []error{syscall.ENOSPC, nil} { // the full disk first, then killed at the same place
					struck := &filetest.Plan{At: at, Moment: moment, Err: fault}
					err := c.then(openFiles(t, path, struck))
					if struck.Struck() != "" && err == nil && !locking(struck) {
						t.Fatalf("%s, struck at %d (%s), and nobody was told", name, at, struck.Struck())
					}
					everythingOpens(t, openFiles(t, path, &filetest.Plan{}), struck.Struck())
				}
				check.OK(t, c.then(openFiles(t, path, &filetest.Plan{})))
				check.Equal(t, fmt.Sprintf("%s, struck at %d, moment %d", name, at, moment), want, tree(t, path))
			}
		}
	}
}

// locking reports whether a plan struck the lock file, which is there already: that is not a failure.
func locking(p *filetest.Plan) bool { return strings.HasSuffix(p.Struck(), "create .chronicle.lock") }

// changes returns the operations of a plan from the nth on, without those of the lock.
func changes(p *filetest.Plan, n int) []string {
	return slices.DeleteFunc(p.Operations()[n:], func(o string) bool { return strings.Contains(o, ".chronicle.lock") })
}

// everythingOpens reads all that there is: no file may be half written.
func everythingOpens(t testing.TB, s *episodes.Files, when string) {
	t.Helper()
	for e, err := range s.All() {
		if err != nil {
			t.Fatalf("struck at %s: %v", when, err)
		}
		check.Get(s.Episode(e.ID))(t)
		all, err := s.Turns(e)
		if err != nil || len(all) == 0 {
			t.Fatalf("struck at %s: %d turns, %v", when, len(all), err)
		}
		for _, one := range all {
			check.Get(s.Turn(one.ID))(t)
		}
	}
}

func TestAll_NewestFirst(t *testing.T) {
	s := openFiles(t, t.TempDir(), &filetest.Plan{})
	want := []council.SessionID{
		"20270101-000000-c", "20261231-235959-b", "20261231-120000-a", "20261101-000000-a", "20260930-000000-a",
		"no-date", "99-a",
	}
	for _, i := range []int{3, 0, 6, 2, 5, 1, 4} {
		keep(t, s, counciltest.LogOf(want[i], counciltest.AdjournedSession()))
	}
	var got []council.SessionID
	for e, err := range s.All() {
		check.OK(t, err)
		got = append(got, e.ID)
	}
	check.Equal(t, "result", want, got)
	for e := range s.All() {
		check.Is(t, "it", want[0], e.ID)
		break
	}
}

func TestFiles_InvalidIDIsUnknown(t *testing.T) {
	s := openFiles(t, t.TempDir(), &filetest.Plan{})
	for _, id := range []string{"", "..", "../../etc/passwd", "A", "a/b", "a.e0", "a.e01", "a.e", "a.e1x", "a\x00b",
		strings.Repeat("a", 97), "a.e9999999999"} {
		check.ErrorIs(t, "turn "+id, episodes.ErrUnknown, check.Err(s.Turn(id)))
		check.ErrorIs(t, "episode "+id, episodes.ErrUnknown, check.Err(s.Episode(council.SessionID(id))))
	}
	check.ErrorIs(t, "writing", episodes.ErrUnknown, s.Write(chronicle.Episode{ID: "../x"}, nil))
	check.ErrorIs(t, "writing another session's turn", episodes.ErrUnknown,
		s.Write(chronicle.Episode{ID: "a"}, []chronicle.Turn{{ID: "b.e1"}}))
}

func TestMain(m *testing.M) {
	counciltest.Cheaply()
	m.Run()
}

// stride is the distance between the operations that the crash tests strike.
var stride = counciltest.Often(5, 1)
