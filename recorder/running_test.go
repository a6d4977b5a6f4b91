package recorder_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
)

// inTurns calls turn ahead of everything that is opened, made or written.
func inTurns(turn func()) recorder.Layer {
	return (&filetest.Plan{NoSync: true, Ahead: func(kind, _ string) {
		if !slices.Contains([]string{"list", "read", "sync", "sync folder"}, kind) {
			turn()
		}
	}}).Watch
}

// TestVerify_ARunningSession verifies and replays a session over and over while it is written, resumed and anchored.
// Reader and writer take turns: the writer does one operation on the disk for so many files that the reader opens, or
// several for one. No look may find damage.
func TestVerify_ARunningSession(t *testing.T) {
	for _, pace := range []struct{ reads, writes int }{{1, 3}, {2, 1}, {1, 1}, {7, 1}}[:counciltest.Often(1, 4)] {
		_, path := openRoot(t)
		var written error
		step, stop := iter.Pull(func(yield func(struct{}) bool) {
			written = writes(path, func() { yield(struct{}{}) })
		})
		defer stop()
		over, reads := false, 0
		reader := mustOpen(t, path, inTurns(func() {
			reads++
			for range pace.writes {
				if reads%pace.reads == 0 && !over {
					_, more := step()
					over = !more
				}
			}
		}))
		looks, running, lengths := 0, 0, map[int]bool{}
		for _, how := range slices.Repeat([]func(council.SessionID) (verify.Report, error){
			func(id council.SessionID) (verify.Report, error) { return reader.Verify(id) }, reader.Replay}, 100) {
			report, err := how(sessionID)
			switch {
			case over:
			case errors.Is(err, recorder.ErrUnknownSession), errors.Is(err, recorder.ErrNotBegun):
				continue
			case err != nil:
				t.Fatalf("%v: look %d, at event %d: %v\n%+v", pace, looks, report.Events, err, report.Checks)
			}
			if over {
				break
			}
			looks++
			lengths[report.Events] = true
			if report.Writer != "" {
				running++
			}
		}
		if written != nil || !over {
			t.Fatalf("the session did not come to its end: %v", written)
		}
		t.Logf("%d reads, %d writes: %d looks, %d while it ran, at %d lengths",
			pace.reads, pace.writes, looks, running, len(lengths))
		check.That(t, running >= 4 && len(lengths) >= 4, "%v: %d looks, %d while it ran, at %d lengths", pace, looks, running,
			len(lengths))
	}
}

// writes runs a session, anchors it at its end, and rebuilds its files. It calls turn ahead of every operation.
func writes(path string, turn func()) error {
	root, err := recorder.OpenRoot(path, inTurns(turn))
	if err != nil {
		return err
	}
	defer root.Close()
	h, err := convene(root, fixed)
	if err == nil {
		err = h.sit()
	}
	if err != nil {
		return err
	}
	record, err := root.Resume(sessionID, fixed)
	if err != nil {
		return err
	}
	err = record.Anchor(func(tree *anchor.Tree) ([]byte, error) {
		private, _, err := note.GenerateKey(nil, "council")
		if err != nil {
			return nil, err
		}
		signer, err := note.NewSigner(private)
		if err != nil {
			return nil, err
		}
		return note.Sign(&note.Note{Text: tree.Checkpoint(tree.Size).Text()}, signer)
	})
	return errors.Join(err, record.Close())
}

// TestVerify_FindsACutLogWhileRunning shows that running excuses files that are behind the log, not a log
// that is behind its files.
func TestVerify_FindsACutLogWhileRunning(t *testing.T) {
	root, path := openRoot(t)
	h, err := convene(root, fixed)
	check.OK(t, err)
	defer h.record.Close()
	for len(h.record.Entries()) < 12 {
		ready := h.rules.Ready()
		if ready.Event != nil {
			err = h.take(*ready.Event)
		} else {
			err = h.answer(ready.Asks[0])
		}
		check.OK(t, err)
	}
	if report, err := root.Verify(sessionID); err != nil || !strings.Contains(notes(report, "end"), "is running") {
		t.Fatalf("%v: %+v", err, report)
	}
	for range 2 {
		edit(t, inSession(path, "events.json"),
			func(text string) string { return text[:strings.LastIndex(text, "\n,")] + "\n]" })
	}
	report, err := root.Verify(sessionID)
	if !errors.Is(err, recorder.ErrDamaged) || report.Holds(verify.Completeness) {
		t.Fatalf("%v: %+v", err, report)
	}
}

func TestResume_AllowsOneWriter(t *testing.T) {
	root, path := finished(t)
	first := check.Get(root.Resume(sessionID, fixed))(t)
	other := check.Get(recorder.OpenRoot(path))(t)
	host, _ := os.Hostname()
	want := fmt.Sprintf("session %s is in use by %s", sessionID, recorder.Holder{PID: os.Getpid(), Host: host})
	if _, err := other.Resume(sessionID, fixed); !errors.Is(err, recorder.ErrLocked) || err.Error() != want {
		t.Fatalf("the second: %v, want %s", err, want)
	}
	check.OK(t, first.Close())
	if _, err := os.Stat(filepath.Join(path, "locks", string(sessionID)+".lock")); err != nil {
		t.Fatalf("the lock file was removed: %v", err)
	}
	second, err := other.Resume(sessionID, fixed)
	if err != nil {
		t.Fatalf("after the first has closed: %v", err)
	}
	check.OK(t, errors.Join(second.Close(), other.Close()))
}

// Between taking a lock and signing it, the name of a killed holder is still in it.
func TestResume_NamesNoDeadHolder(t *testing.T) {
	root, path := finished(t)
	first := check.Get(root.Resume(sessionID, fixed))(t)
	host, _ := os.Hostname()
	const dead = 1 << 30 // beyond every system's process ids
	text := fmt.Sprintf("\x00{\"pid\":%d,\"host\":%q}", dead, host)
	check.OK(t, os.WriteFile(filepath.Join(path, "locks", string(sessionID)+".lock"), []byte(text), 0o600))
	want := fmt.Sprintf("session %s is in use by %s", sessionID, recorder.Holder{})
	_, err := root.Resume(sessionID, fixed)
	check.That(t, errors.Is(err, recorder.ErrLocked) && err.Error() == want, "the second: %v", err)
	check.OK(t, first.Close())
}

func TestResume_LeavesNoLockOfAnUnknownSession(t *testing.T) {
	root, path := openRoot(t)
	check.ErrorIs(t, "an unknown session", recorder.ErrUnknownSession, check.Err(root.Resume(sessionID, fixed)))
	check.Is(t, "files", 2, len(folder(t, path)))
}

func TestResume_RefusesALinkedLock(t *testing.T) {
	root, path := finished(t)
	lock := filepath.Join(path, "locks", string(sessionID)+".lock")
	target := filepath.Join(t.TempDir(), "target")
	write(t, target, "keep me")
	check.OK(t, errors.Join(os.Remove(lock), os.Symlink(target, lock)))
	if s, err := root.Resume(sessionID, fixed); err == nil {
		t.Fatal(errors.Join(errors.New("it was opened"), s.Close()))
	}
	check.Is(t, "behind the link", "keep me", string(check.Get(os.ReadFile(target))(t)))
}
