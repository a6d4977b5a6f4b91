package recorder_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
)

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
	if _, err := root.Resume(sessionID, fixed); !errors.Is(err, recorder.ErrLocked) || err.Error() != want {
		t.Errorf("the second: %v", err)
	}
	check.OK(t, first.Close())
}

func TestResume_LetsOneOfManyWin(t *testing.T) {
	root, _ := finished(t)
	for range 20 {
		var won atomic.Int32
		var all, tried sync.WaitGroup
		tried.Add(8)
		for range 8 {
			all.Go(func() {
				s, err := root.Resume(sessionID, fixed)
				tried.Done()
				if errors.Is(err, recorder.ErrLocked) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				won.Add(1)
				tried.Wait() // the winner holds on until all have tried
				check.OK(t, s.Close())
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d hold the session", won.Load())
		}
	}
}

func TestResume_LeavesNoLockOfAnUnknownSession(t *testing.T) {
	root, path := openRoot(t)
	if _, err := root.Resume(sessionID, fixed); !errors.Is(err, recorder.ErrUnknownSession) {
		t.Fatalf("%v, want ErrUnknownSession", err)
	}
	if got := len(folder(t, path)); got != 2 {
		t.Fatalf("%d files, want VERSION and .gitignore alone", got)
	}
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
	if text, err := os.ReadFile(target); err != nil || string(text) != "keep me" {
		t.Fatalf("behind the link: %q, %v", text, err)
	}
}
