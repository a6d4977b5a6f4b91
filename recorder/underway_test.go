package recorder_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

func TestASessionIsMarkedUntilItsCloseIsDone(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".council")
	root, err := recorder.OpenRoot(path)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const early, late council.SessionID = "20261121-081500-early", "20261121-081501-late"
	marked := func(want ...council.SessionID) {
		t.Helper()
		got, err := root.Unsettled()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	marked()
	for _, id := range []council.SessionID{late, early, late} {
		if err := root.MarkUnsettled(id); err != nil {
			t.Fatal(err)
		}
	}
	marked(early, late)
	for range 2 {
		if err := root.Settled(early); err != nil {
			t.Fatal(err)
		}
	}
	marked(late)
	if err := os.WriteFile(filepath.Join(path, "open", "No Session"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	marked(late)
	for _, bad := range []council.SessionID{"", "../sessions", "a/b"} {
		if root.MarkUnsettled(bad) == nil || root.Settled(bad) == nil {
			t.Errorf("%q is taken for a session", bad)
		}
	}
}
