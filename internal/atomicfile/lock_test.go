package atomicfile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
)

const name = "a.lock"

func folder(t *testing.T) atomicfile.Files {
	t.Helper()
	files := check.Get(atomicfile.OpenDir(t.TempDir()))(t)
	t.Cleanup(func() { files.Close() })
	return files
}

func take(t *testing.T, files atomicfile.Files) *atomicfile.Lock {
	t.Helper()
	return check.Get(atomicfile.TakeLock(files, name))(t)
}

// TestLockedBy_IgnoresTheSignatureOfAKilledProcess: the first process of every container has the number 1, so that the
// signature of a dead one seemed to be that of a running one for ever.
func TestLockedBy_IgnoresTheSignatureOfAKilledProcess(t *testing.T) {
	files := folder(t)
	lock := filepath.Join(files.Path(), name)
	held := take(t, files)
	signed := check.Get(os.ReadFile(lock))(t)
	if h, running := atomicfile.LockedBy(files, name); !running || h.PID != os.Getpid() {
		t.Errorf("while it is held: %+v, %t", h, running)
	}
	check.OK(t, held.Release())
	check.OK(t, os.WriteFile(lock, signed, 0o600)) // as a process leaves it that is killed
	if h, running := atomicfile.LockedBy(files, name); running {
		t.Errorf("after a kill: held by %s", h)
	}
}

// TestLock_DoesNotWriteTheLockedByte: Windows refuses to write it, and to read it, so that no lock could be signed
// there.
func TestLock_DoesNotWriteTheLockedByte(t *testing.T) {
	files := folder(t)
	l := take(t, files)
	text, err := os.ReadFile(filepath.Join(files.Path(), name))
	if err != nil || len(text) < 2 || text[0] != 0 || !json.Valid(text[1:]) {
		t.Errorf("%q, %v", text, err)
	}
	check.OK(t, l.Release())
}

// TestLockedBy_DoesNotBlockTakeLock: to ask is to share the lock for a moment.
func TestLockedBy_DoesNotBlockTakeLock(t *testing.T) {
	files := folder(t)
	check.OK(t, take(t, files).Release())
	lock := filepath.Join(files.Path(), name)
	done := make(chan struct{})
	var asking sync.WaitGroup
	for range 2 {
		asking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					atomicfile.LockedBy(files, name)
				}
			}
		})
	}
	for range 20 {
		if err := os.WriteFile(lock, []byte("\x00{\"pid\":1}"), 0o600); err != nil { // of a dead process, so that it is asked
			t.Error(err)
		}
		l, err := atomicfile.TakeLock(files, name)
		if err != nil {
			t.Error(err)
			break
		}
		check.OK(t, l.Release())
	}
	close(done)
	asking.Wait()
}
