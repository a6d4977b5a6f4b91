package recorder_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

// under opens the workspace through a plan.
func under(path string, plan *filetest.Plan) (*recorder.Root, error) {
	plan.NoSync = true
	return recorder.OpenRoot(path, plan.Watch)
}

// wholeSession runs a session without a crash and returns its plan, the calls that were bought and its folder.
func wholeSession(t testing.TB) (*filetest.Plan, int, map[string]string) {
	t.Helper()
	path := t.TempDir() + "/.council"
	plan := &filetest.Plan{}
	root, err := under(path, plan)
	if err != nil {
		t.Fatal(err)
	}
	h, err := convene(root, fixed)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.sit(), root.Close()); err != nil {
		t.Fatal(err)
	}
	return plan, h.bought, folder(t, path)
}

// folder reads a workspace, but for what a crash leaves as evidence: what was torn off, and the temporary file of a
// VERSION, which must not be removed because another process may be about to rename its own.
func folder(t testing.TB, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(name, ".torn-") || strings.Contains(name, "/.VERSION.") {
			return err
		}
		text, err := os.ReadFile(name)
		files[strings.TrimPrefix(name, path+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// run convenes or goes on, whichever is due, and returns how many calls were bought and how many were ambiguous.
func run(path string, plan *filetest.Plan) (bought, ambiguous int, err error) {
	root, err := under(path, plan)
	if err != nil {
		return 0, 0, err
	}
	defer root.Close()
	h, err := reconvene(root, fixed)
	if errors.Is(err, recorder.ErrUnknownSession) || errors.Is(err, recorder.ErrNotBegun) {
		h, err = convene(root, fixed)
	}
	if err != nil {
		return 0, 0, err
	}
	asks, err := h.record.Ambiguous()
	if err != nil {
		return 0, 0, errors.Join(err, h.record.Close())
	}
	err = h.sit()
	return h.bought, len(asks), err
}

func TestKilledAtEveryOperationItResumesToTheSameBytes(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	plan, calls, want := wholeSession(t)
	dir := t.TempDir()
	for at := 1; at <= plan.Count(); at += step(47) {
		for _, moment := range []filetest.Moment{filetest.Before, filetest.Half, filetest.After} {
			path := fmt.Sprintf("%s/%d-%d", dir, at, moment)
			deadly := &filetest.Plan{At: at, Moment: moment}
			before, _, err := run(path, deadly)
			if !errors.Is(err, filetest.ErrKilled) && deadly.Struck() == "" {
				t.Fatalf("operation %d was not struck: %v", at, err)
			}
			after, ambiguous, err := run(path, &filetest.Plan{})
			if err != nil {
				t.Fatalf("killed at %d (%s), moment %d: it does not resume: %v", at, deadly.Struck(), moment, err)
			}
			if ambiguous > 3 || before+after > calls+ambiguous {
				t.Fatalf("killed at %d (%s), moment %d: %d calls and then %d, of %d; %d ambiguous",
					at, deadly.Struck(), moment, before, after, calls, ambiguous)
			}
			if diff := cmp.Diff(want, folder(t, path)); diff != "" {
				t.Fatalf("killed at %d (%s), moment %d: the folder differs (-whole +resumed):\n%s",
					at, deadly.Struck(), moment, diff)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d operations, each killed before, half-way and after", plan.Count())
}

func TestADiskThatFailsLosesNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	plan, calls, want := wholeSession(t)
	dir := t.TempDir()
	for _, fault := range []struct {
		err     error
		forever bool
	}{{syscall.ENOSPC, true}, {syscall.EIO, false}} {
		for at := 1; at <= plan.Count(); at += step(47) {
			path := fmt.Sprintf("%s/%d-%d", dir, fault.err, at)
			sick := &filetest.Plan{At: at, Moment: filetest.Half, Err: fault.err, Forever: fault.forever}
			before, _, err := run(path, sick)
			if err == nil || !errors.Is(err, fault.err) {
				t.Fatalf("%v at %d (%s) went unreported: %v", fault.err, at, sick.Struck(), err)
			}
			after, ambiguous, err := run(path, &filetest.Plan{})
			if err != nil {
				t.Fatalf("%v at %d (%s): it does not resume: %v", fault.err, at, sick.Struck(), err)
			}
			if before+after > calls+ambiguous {
				t.Fatalf("%v at %d (%s): %d calls and then %d, of %d; %d ambiguous",
					fault.err, at, sick.Struck(), before, after, calls, ambiguous)
			}
			if diff := cmp.Diff(want, folder(t, path)); diff != "" {
				t.Fatalf("%v at %d (%s): the folder differs (-whole +resumed):\n%s", fault.err, at, sick.Struck(), diff)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
