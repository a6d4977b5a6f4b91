package atomicfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
)

// open returns a fresh folder under a plan.
func open(t *testing.T, plan *filetest.Plan) (atomicfile.Files, string) {
	t.Helper()
	path := t.TempDir()
	dir := check.Get(atomicfile.OpenDir(path))(t)
	t.Cleanup(func() {
		check.OK(t, dir.Close())
	})
	return plan.Watch(dir), path
}

func names(t *testing.T, files atomicfile.Files) []string {
	t.Helper()
	entries := check.Get(files.List())(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWrite_LeavesTheOldOrNewFileAtAnyFailure(t *testing.T) {
	stream := func(files atomicfile.Files, name string, data []byte) error {
		fill := func(w io.Writer) error { _, err := w.Write(data); return err }
		return atomicfile.Stream(files, name, fill, func(atomicfile.File) error { return nil })
	}
	// Create, write, sync, rename, sync of the folder; Put does not sync.
	oldOrNew(t, 5, atomicfile.Write)
	oldOrNew(t, 5, stream)
	oldOrNew(t, 3, atomicfile.WriteUnsynced)
}

// oldOrNew strikes a way to write at each of its steps.
func oldOrNew(t *testing.T, steps int, write func(atomicfile.Files, string, []byte) error) {
	t.Helper()
	for at := 1; at <= steps+1; at++ {
		for _, moment := range []filetest.Moment{filetest.Before, filetest.Half, filetest.After} {
			for _, fault := range []error{nil, syscall.ENOSPC, syscall.EIO} {
				plan := &filetest.Plan{}
				files, path := open(t, plan)
				check.OK(t, atomicfile.Write(files, "f", []byte("old")))
				plan.At, plan.Moment, plan.Err = plan.Count()+at, moment, fault
				err := write(files, "f", []byte("brand new"))
				if (err != nil) != (at <= steps) {
					t.Fatalf("struck at %d (%s): %v", at, plan.Struck(), err)
				}
				text, readErr := os.ReadFile(filepath.Join(path, "f"))
				if readErr != nil || string(text) != "old" && string(text) != "brand new" {
					t.Fatalf("struck at %d (%s): the file holds %q, %v", at, plan.Struck(), text, readErr)
				}
				dir, openErr := atomicfile.OpenDir(path)
				check.OK(t, openErr)
				check.OK(t, errors.Join(atomicfile.Tidy(dir), dir.Close()))
				check.Equal(t, fmt.Sprintf("struck at %d (%s), tidied", at, plan.Struck()), []string{"f"}, names(t, files))
			}
		}
	}
}

func TestPut_CleansUpAfterAKilledOne(t *testing.T) {
	for _, again := range []func(atomicfile.Files) error{
		func(files atomicfile.Files) error { return atomicfile.WriteUnsynced(files, "f", []byte("new")) },
		func(files atomicfile.Files) error {
			return errors.Join(atomicfile.Discard(files, "f"), atomicfile.WriteUnsynced(files, "f", nil))
		},
	} {
		killed, path := open(t, &filetest.Plan{At: 2, Moment: filetest.Half})
		check.ErrorIs(t, "it", filetest.ErrKilled, atomicfile.WriteUnsynced(killed, "f", []byte("new")))
		files := check.Get(atomicfile.OpenDir(path))(t)
		if diff := cmp.Diff([]string{".f.tmp"}, names(t, files)); diff != "" || !atomicfile.Temporary(".f.tmp") {
			t.Fatal(diff)
		}
		check.OK(t, errors.Join(again(files), files.Close()))
		check.Equal(t, "it", []string{"f"}, names(t, killed))
	}
}

func TestStream_ChangesNothingWhenTheCheckFails(t *testing.T) {
	files, path := open(t, &filetest.Plan{})
	check.OK(t, atomicfile.Write(files, "f", []byte("old")))
	long := bytes.Repeat([]byte("piece "), 1<<19)
	fill := func(w io.Writer) error { _, err := io.Copy(w, bytes.NewReader(long)); return err }
	doubt := errors.New("it is not what was written")
	verify := func(f atomicfile.File) error {
		read := make([]byte, len(long))
		if _, err := f.ReadAt(read, 0); err != nil || !bytes.Equal(read, long) {
			t.Errorf("what was written is not read back: %v", err)
		}
		return doubt
	}
	check.ErrorIs(t, "it", doubt, atomicfile.Stream(files, "f", fill, verify))
	check.Is(t, "the file holds", "old", string(check.Get(os.ReadFile(filepath.Join(path, "f")))(t)))
	check.Equal(t, "it", []string{"f"}, names(t, files))
}

func TestTidy_RemovesTemporaryFilesOnly(t *testing.T) {
	files, path := open(t, &filetest.Plan{})
	for _, name := range []string{".f.1-1.tmp", "f.tmp", ".hidden", "f"} {
		check.OK(t, os.WriteFile(filepath.Join(path, name), nil, 0o600))
	}
	check.OK(t, atomicfile.Tidy(files))
	check.Equal(t, "it", []string{".hidden", "f", "f.tmp"}, names(t, files))
}

func TestTail_WritesOnceAnAppend(t *testing.T) {
	plan := &filetest.Plan{}
	files, path := open(t, plan)
	tail := check.Get(atomicfile.CreateTail(files, "log"))(t)
	before, written := plan.Count(), plan.Written()
	for _, step := range []error{tail.Append([]byte("[]"), 0), tail.Append([]byte("1]"), 1), tail.Grow([]byte(",2]"), 1),
		tail.Cut(2)} {
		check.OK(t, step)
	}
	check.Is(t, "operations, one write and one sync an append, one write a growth, a cut and its sync", 2+2+1+2,
		plan.Count()-before)
	check.Is(t, "bytes written, 7", 7, plan.Written()-written)
	check.OK(t, tail.Close())
	if text, err := os.ReadFile(filepath.Join(path, "log")); err != nil || string(text) != "[1" || tail.End() != 2 {
		t.Errorf("%q, %v; the tail ends at %d", text, err, tail.End())
	}
	again := check.Get(atomicfile.CreateTail(files, "log"))(t)
	check.Is(t, "the end of an existing file", 2, again.End())
	check.OK(t, again.Close())
}

func TestTail_StopsAfterAFailedSync(t *testing.T) {
	plan := &filetest.Plan{}
	files, _ := open(t, plan)
	tail := check.Get(atomicfile.CreateTail(files, "log"))(t)
	defer tail.Close()
	plan.At, plan.Err = plan.Count()+2, syscall.EIO
	first := tail.Append([]byte("a"), 0)
	check.ErrorIs(t, "the first", syscall.EIO, first)
	operations := plan.Count()
	if tail.Append([]byte("b"), 0) != first || tail.Grow([]byte("b"), 0) != first || tail.Cut(0) != first {
		t.Error("a later call does not return the first error")
	}
	check.Is(t, "the sync was tried again, or something else was", operations, plan.Count())
}

func TestFiles_OpenNothingOutside(t *testing.T) {
	files, path := open(t, &filetest.Plan{})
	outside := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	for name, target := range map[string]string{"file": filepath.Join(outside, "secret"), "folder": outside,
		"inside": "plain"} {
		check.OK(t, os.Symlink(target, filepath.Join(path, name)))
	}
	for name, open := range map[string]func() error{
		"a link to a file":        func() error { _, err := files.Open("file"); return err },
		"a link to a file, write": func() error { _, err := files.Edit("file"); return err },
		"a link within":           func() error { _, err := files.Open("inside"); return err },
		"a link to a folder":      func() error { _, err := files.Folder("folder"); return err },
		"through a folder link":   func() error { _, err := files.Open("folder/secret"); return err },
	} {
		check.ErrorIs(t, name, atomicfile.ErrLink, open())
	}
	for _, name := range []string{"../secret", "/etc/passwd", ".."} {
		if f, err := files.Open(name); err == nil {
			t.Error(errors.Join(errors.New("opened "+name), f.Close()))
		}
		if f, err := files.Create(name); err == nil {
			t.Error(errors.Join(errors.New("created "+name), f.Close()))
		}
		if folder, err := files.Folder(name); err == nil && name != "/etc/passwd" {
			t.Error(errors.Join(errors.New("entered "+name), folder.Close()))
		}
	}
	check.ErrorIs(t, "creating over a link", fs.ErrExist, check.Err(files.Create("file")))
}

func TestRunning_IsFalseAfterTheProcessEnded(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	check.OK(t, ended.Run())
	for pid, want := range map[int]bool{os.Getpid(): true, ended.Process.Pid: false, 0: false, -1: false} {
		check.Is(t, fmt.Sprintf("process %d is running", pid), want, atomicfile.Running(pid))
	}
}

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
