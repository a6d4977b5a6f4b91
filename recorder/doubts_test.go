package recorder_test

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
)

func TestDoubts_OutliveTheProcess(t *testing.T) {
	root, path := finished(t)
	s := check.Get(root.Resume(sessionID, fixed))(t)
	for _, ask := range []council.AskID{"nominate.a", "nominate.b", "nominate.a"} {
		check.OK(t, s.CountRepeat(ask))
	}
	check.OK(t, s.Close())
	if err := s.CountRepeat("nominate.a"); !errors.Is(err, recorder.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	s = resume(t, root)
	counts, err := s.Doubts()
	if diff := cmp.Diff(map[council.AskID]int{"nominate.a": 2, "nominate.b": 1}, counts); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	// It is evidence that makes a budget more careful. Without it a session goes on.
	check.OK(t, os.WriteFile(inSession(path, "doubts.json"), []byte("{"), 0o600))
	if counts, err = s.Doubts(); len(counts) != 0 || err != nil {
		t.Errorf("%v, %v", counts, err)
	}
}
