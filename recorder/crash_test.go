package recorder_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
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
	root := check.Get(under(path, plan))(t)
	h := check.Get(convene(root, fixed))(t)
	check.OK(t, errors.Join(h.sit(), root.Close()))
	return plan, h.bought, folder(t, path)
}

// folder reads a workspace without the evidence of a crash: torn ends that were kept, and the temporary file of a
// VERSION, which must not be removed because another process may be about to rename its own.
func folder(t testing.TB, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, text := range check.Files(t, path) {
		if !strings.Contains(name, ".torn-") && !strings.Contains(name, "/.VERSION.") {
			files[strings.TrimPrefix(name, path+"/")] = text
		}
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

// A session that is killed, or whose disk fails, at any operation resumes to the same bytes, and is not paid for twice.
func TestSession_ResumesToTheSameBytesAfterAnyFailure(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	whole, calls, want := wholeSession(t)
	path := t.TempDir() + "/.council"
	for name, failure := range map[string]struct {
		moment  filetest.Moment
		err     error
		forever bool
	}{
		"killed before": {moment: filetest.Before}, "killed half-way": {moment: filetest.Half},
		"killed after": {moment: filetest.After},
		"full disk":    {filetest.Half, syscall.ENOSPC, true}, "failed once": {filetest.Half, syscall.EIO, false},
	} {
		for at := min(len(name), step(97)); at <= whole.Count(); at += step(97) { // each begins elsewhere
			failing := &filetest.Plan{At: at, Moment: failure.moment, Err: failure.err, Forever: failure.forever}
			before, _, err := run(path, failing)
			if failure.err != nil && !errors.Is(err, failure.err) || failing.Struck() == "" {
				t.Fatalf("%s at operation %d (%s): %v", name, at, failing.Struck(), err)
			}
			after, ambiguous, err := run(path, &filetest.Plan{})
			if err != nil {
				t.Fatalf("%s at %d (%s): it does not resume: %v", name, at, failing.Struck(), err)
			}
			if ambiguous > 3 || before+after > calls+ambiguous {
				t.Fatalf("%s at %d (%s): %d calls and then %d, of %d; %d ambiguous",
					name, at, failing.Struck(), before, after, calls, ambiguous)
			}
			if diff := cmp.Diff(want, folder(t, path)); diff != "" {
				t.Fatalf("%s at %d (%s): the folder differs (-whole +resumed):\n%s", name, at, failing.Struck(), diff)
			}
			check.OK(t, os.RemoveAll(path))
		}
	}
}

// finishesAfterAnyFailure kills change, or fails it by the disk, at each of its operations, in steps, in copies of a
// workspace. holds looks at what is left; the same call again must end where an undisturbed one does.
func finishesAfterAnyFailure(t *testing.T, path string, every int, change func(*recorder.Root) error,
	holds func(what string, root *recorder.Root)) {
	t.Helper()
	dir := t.TempDir()
	run := func(to string, plan *filetest.Plan) error {
		root, err := under(to, plan)
		if err != nil {
			return err
		}
		return errors.Join(change(root), root.Close())
	}
	copied := func(name string) string {
		to := filepath.Join(dir, name)
		check.OK(t, os.CopyFS(to, os.DirFS(path)))
		return to
	}
	files := func(of string) map[string]string {
		files := folder(t, of)
		delete(files, "locks/"+string(sessionID)+".lock") // says who had it last
		return files
	}
	whole := &filetest.Plan{}
	check.OK(t, run(copied("whole"), whole))
	want := files(filepath.Join(dir, "whole"))
	for _, fault := range []error{nil, syscall.ENOSPC} {
		for at := 1; at <= whole.Count(); at += every {
			for _, moment := range []filetest.Moment{filetest.Before, filetest.Half, filetest.After} {
				to, deadly := copied("struck"), &filetest.Plan{At: at, Moment: moment, Err: fault}
				if err := run(to, deadly); err == nil && deadly.Struck() == "" {
					t.Fatalf("operation %d was not struck", at)
				}
				what := fmt.Sprintf("struck at %d (%s), moment %d, %v", at, deadly.Struck(), moment, fault)
				root := check.Get(recorder.OpenRoot(to))(t)
				holds(what, root)
				check.OK(t, errors.Join(root.Close(), run(to, &filetest.Plan{})))
				if diff := cmp.Diff(want, files(to)); diff != "" {
					t.Fatalf("%s (-undisturbed +finished):\n%.3000s", what, diff)
				}
				check.OK(t, os.RemoveAll(to))
			}
		}
	}
	t.Logf("%d operations", whole.Count())
}

// Wherever a crash cuts a file, resuming the session mends it, and every whole line before is as it was. A sector that
// was allocated and never written is a cut too.
func TestResume_MendsAFileCutAnywhere(t *testing.T) {
	t.Parallel()
	root, path := large(t, 2)
	names := []string{"events.json"}
	tapes := check.Get(filepath.Glob(inSession(path, "conversations/*.jsonl")))(t)
	check.Is(t, "call logs", 9, len(tapes))
	for _, name := range tapes {
		names = append(names, "conversations/"+filepath.Base(name))
	}
	session := check.Get(root.Folder(sessionID))(t)
	defer session.Close()
	cuts := 0
	for _, name := range names {
		good := check.Get(os.ReadFile(inSession(path, name)))(t)
		torn := func(cut []byte, at int) {
			t.Helper()
			write(t, inSession(path, name), string(cut))
			s, err := root.Resume(sessionID, fixed)
			if name == "events.json" && bytes.Count(good[:at], []byte("\n")) < 2 && errors.Is(err, recorder.ErrDamaged) {
				return // not even the first event is whole, and the conversations show that there were more
			}
			if err == nil {
				_, err = s.Ambiguous() // opens every conversation
				err = errors.Join(err, s.Close())
			}
			if err != nil {
				t.Fatalf("%s cut at %d of %d: %v", name, at, len(good), err)
			}
			mended, err := os.ReadFile(inSession(path, name))
			whole := bytes.LastIndexByte(good[:at], '\n')
			if err != nil || !bytes.HasPrefix(mended, good[:max(whole, 0)]) {
				t.Fatalf("%s cut at %d: the lines before are not as they were: %v", name, at, err)
			}
			if lost := len(good) - len(mended); lost < 0 {
				t.Fatalf("%s cut at %d: it grew by %d", name, at, -lost)
			}
			cuts++
		}
		last := bytes.LastIndexByte(good[:len(good)-2], '\n') // the last line is cut at every byte, the rest in steps
		for at := 0; at < len(good); at++ {
			if at < last && at%(97*step(43)) != 0 || at >= last && at%step(193) != 0 {
				continue
			}
			torn(good[:at], at)
		}
		sector := max(len(good)/512*512-1, 0) / 512 * 512
		torn(append(bytes.Clone(good[:sector]), make([]byte, len(good)-sector)...), sector)
		write(t, inSession(path, name), string(good))
		check.Get(conversation.Members(session))(t)
	}
	t.Logf("%d files, %d cuts, all mended", len(names), cuts)
}
