package recorder_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

func TestUnsettled_ListsMarkedSessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".council")
	root := check.Get(recorder.OpenRoot(path))(t)
	defer root.Close()
	const early, late council.SessionID = "20261121-081500-early", "20261121-081501-late"
	marked := func(want ...council.SessionID) {
		t.Helper()
		check.Equal(t, "it", want, check.Get(root.Unsettled.List())(t))
	}
	marked()
	for _, id := range []council.SessionID{late, early, late} {
		check.OK(t, root.Unsettled.Mark(id))
	}
	marked(early, late)
	for range 2 {
		check.OK(t, root.Unsettled.Clear(early))
	}
	marked(late)
	check.OK(t, os.WriteFile(filepath.Join(path, "open", "No Session"), nil, 0o600))
	marked(late)
	for _, bad := range []council.SessionID{"", "../sessions", "a/b"} {
		check.That(t, root.Unsettled.Mark(bad) != nil && root.Unsettled.Clear(bad) != nil, "%q is taken for a session",
			bad)
	}
}

// TestDiscard_RemovesACrashedCreation kills the making of a session at each of its operations. It
// is never the latest session, and Discard leaves nothing of it.
func TestDiscard_RemovesACrashedCreation(t *testing.T) {
	const begun, killed council.SessionID = "20261121-081500-begun-aaaaaa", "20261121-081501-killed-bbbbbb"
	whole := &filetest.Plan{}
	for at := 0; at <= whole.Count(); at++ {
		path := filepath.Join(t.TempDir(), "record")
		first := check.Get(recorder.OpenRoot(path))(t)
		s := check.Get(first.Create(begun, fixed))(t)
		check.OK(t, s.Append(counciltest.LogOf(begun, counciltest.WholeSession())[0].Event))
		check.OK(t, errors.Join(s.Close(), first.Unsettled.Clear(begun), first.Close()))
		plan := &filetest.Plan{At: at}
		if at == 0 {
			plan = whole
		}
		root, err := under(path, plan)
		if err == nil {
			if s, err := root.Create(killed, fixed); err == nil {
				_ = s.Close()
			}
			_ = root.Close()
		}
		if root, err = recorder.OpenRoot(path); err != nil {
			t.Fatal(err)
		}
		check.Is(t, "the latest", begun, check.Get(root.Find(recorder.Latest))(t))
		if err := root.Discard(killed); err != nil {
			t.Errorf("killed at %s: %v", plan.Struck(), err)
		}
		marked, err := root.Unsettled.List()
		if _, left := os.Stat(filepath.Join(path, "sessions", string(killed))); !errors.Is(left, fs.ErrNotExist) ||
			err != nil || len(marked) > 0 {
			t.Errorf("killed at %s: left %v, marked %q, %v", plan.Struck(), left, marked, err)
		}
		check.OK(t, errors.Join(root.Discard(begun), root.Close()))
		if _, err := os.Stat(filepath.Join(path, "sessions", string(begun), "events.json")); err != nil {
			t.Errorf("a session that has begun was discarded: %v", err)
		}
	}
}

func TestDoubts_OutliveTheProcess(t *testing.T) {
	root, path := finished(t)
	s := check.Get(root.Resume(sessionID, fixed))(t)
	for _, ask := range []council.AskID{"nominate.a", "nominate.b", "nominate.a"} {
		check.OK(t, s.CountRepeat(ask))
	}
	check.OK(t, s.Close())
	check.ErrorIs(t, "after Close", recorder.ErrClosed, s.CountRepeat("nominate.a"))
	s = resume(t, root)
	counts, err := s.Doubts()
	if diff := cmp.Diff(map[council.AskID]int{"nominate.a": 2, "nominate.b": 1}, counts); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	// It is evidence that makes a budget more careful. Without it a session goes on.
	check.OK(t, os.WriteFile(inSession(path, "doubts.json"), []byte("{"), 0o600))
	check.Is(t, "doubts", 0, len(check.Get(s.Doubts())(t)))
}
