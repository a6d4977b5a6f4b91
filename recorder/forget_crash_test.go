package recorder_test

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// Killed at any operation, or failed by the disk, forgetting leaves a session that is read, and of which nothing is
// found but that files have to be rendered again. The same call again ends where an undisturbed one does.
func TestForgettingIsFinishedAfterAKill(t *testing.T) {
	t.Parallel()
	first, path := openRoot(t)
	spoken(t, first)
	word := token("p1.r1.t1.turn.ada", "message")
	write(t, inSession(path, "transcript.md.edited-20261121T081500Z"), "I think "+word+" is right.")
	write(t, inSession(path, "events.json.torn-1"), `\u0071`+word[1:])
	what := expunge.Erasing{Events: []council.Seq{4, 20, 30},
		Phrases: []string{word, token("d2.draft.ada", "draft")}}

	run := func(to string, plan *filetest.Plan) error {
		root, err := under(to, plan)
		if err != nil {
			return err
		}
		_, err = root.Forget(sessionID, what, fixed)
		return errors.Join(err, root.Close())
	}
	dir := t.TempDir()
	copied := func(name string) string {
		to := dir + "/" + name
		check.OK(t, os.CopyFS(to, os.DirFS(path)))
		return to
	}
	whole := &filetest.Plan{}
	check.OK(t, run(copied("whole"), whole))
	want := folder(t, dir+"/whole")
	for _, fault := range []error{nil, syscall.ENOSPC} {
		for at := 1; at <= whole.Count(); at += step(47) {
			for _, moment := range []filetest.Moment{filetest.Before, filetest.Half, filetest.After} {
				to := copied(fmt.Sprintf("%d-%d-%v", at, moment, fault))
				deadly := &filetest.Plan{At: at, Moment: moment, Err: fault}
				if err := run(to, deadly); err == nil && deadly.Struck() == "" {
					t.Fatalf("operation %d was not struck", at)
				}
				root := check.Get(recorder.OpenRoot(to))(t)
				report, err := root.Verify(sessionID)
				for _, c := range report.Checks {
					if c.Name != "files" && len(c.Findings) > 0 {
						t.Fatalf("killed at %d (%s), moment %d: %v %q", at, deadly.Struck(), moment, err, c.Findings)
					}
				}
				if err := errors.Join(root.Close(), run(to, &filetest.Plan{})); err != nil {
					t.Fatalf("killed at %d (%s), moment %d: %v", at, deadly.Struck(), moment, err)
				}
				if diff := cmp.Diff(want, folder(t, to)); diff != "" {
					t.Fatalf("killed at %d (%s), moment %d (-whole +finished):\n%s", at, deadly.Struck(), moment, diff)
				}
				check.OK(t, os.RemoveAll(to))
			}
		}
	}
	t.Logf("%d operations", whole.Count())
}
