package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// checkRecord looks at the folder of the record, which need not be there yet.
func (x *exam) checkRecord() {
	path := x.c.Storage.RootDir
	root, err := recorder.FindRoot(path, x.Layer)
	if err != nil && !errors.Is(err, recorder.ErrNoRoot) {
		x.find("record", path, err)
		return
	}
	if err == nil {
		defer root.Close()
		x.checkPrivacy("record-open", path)
		x.checkPrivacy("credentials-open", filepath.Join(path, credential.VaultFile))
		x.checkSessions(root)
		x.checkMemory(root)
	}
	x.checkDisk(path)
}

// checkPrivacy finds a file or folder that other users of the machine may look into.
func (x *findings) checkPrivacy(row, path string) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" { // where a mode means nothing
		x.find(row, path, info.Mode().Perm(), path)
	}
}

func (x *exam) checkSessions(root *recorder.Root) {
	sessions, err := root.List()
	if err != nil {
		x.find("record:list", root.Path(), err)
		return
	}
	for _, s := range sessions {
		at := filepath.ToSlash(root.Location(s.ID))
		switch s.State {
		case minutes.StateUnreadable:
			x.find("session-unreadable", at, fmt.Errorf("session %s cannot be read: %w", s.ID, s.Err))
		case minutes.StateInterrupted, minutes.StateSuspended:
			x.find("session-unfinished", at, s.ID, site.CommandLine(root, "council resume "+root.Short(s.ID)))
		}
	}
}

func (x *exam) checkMemory(root *recorder.Root) {
	dir := curator.MemoryDir(x.c.Storage, root.Path())
	unreadable := func(err error) { x.find("memory-unreadable", dir, err) }
	w, err := curator.Open(root, dir)
	if err != nil {
		unreadable(err)
		return
	}
	w.Remind(x.c, council.Topic{}, x.Now(), unreadable)
}

// checkDisk writes, syncs and locks a file of its own in the folder, or in the nearest one that exists.
func (x *exam) checkDisk(path string) {
	there, _ := filepath.Abs(path) // without a working folder every command says so
	for {
		if info, err := os.Stat(there); err == nil && info.IsDir() || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	row := "disk-write"
	files, err := atomicfile.OpenDir(there)
	if err == nil {
		defer files.Close()
		row, err = tryFiles(x.Through(files))
	}
	if told := new(fs.PathError); errors.As(err, &told) {
		err = told.Err // without a file name that people do not know
	}
	if err != nil {
		x.find(row, there, err)
		return
	}
	switch left, known := x.Free(there); {
	case known && left < 5<<20: // hardly any session fits
		x.find("disk-space:full", there, plural.Thousands(int64(left>>20)))
	case known && left < 200<<20: // a long session would not fit
		x.find("disk-space", there, plural.Thousands(int64(left>>20)))
	}
}

// tryFiles does the file operations of a session on a file of its own. row is the finding for its error.
func tryFiles(files atomicfile.Files) (row string, err error) {
	name := fmt.Sprintf(".doctor.%d.tmp", os.Getpid()) // as temporary files are called, so that fsck would sweep it
	f, err := files.Create(name)
	if errors.Is(err, fs.ErrExist) {
		f, err = files.Edit(name)
	}
	if err != nil {
		return "disk-write", err
	}
	defer files.Remove(name)
	if _, err = f.WriteAt([]byte("council doctor\n"), 0); err != nil {
		return "disk-write", errors.Join(err, f.Close())
	}
	if err = cmp.Or(errors.Join(f.Sync(), f.Close()), files.Sync()); err != nil {
		return "disk-sync", err
	}
	lock, err := atomicfile.TakeLock(files, name)
	if err != nil {
		return "disk-lock", err
	}
	defer lock.Release()
	second, err := atomicfile.TakeLock(files, name)
	if err == nil {
		return "disk-lock", errors.Join(errors.New("two could hold one lock at the same time"), second.Release())
	}
	if !errors.Is(err, atomicfile.ErrLocked) {
		return "disk-lock", err
	}
	return "", nil
}

// checkKey looks at the place of this machine's key, which vouches for sessions.
func (x *exam) checkKey() {
	switch place, err := x.Keys(); {
	case err != nil && place != "":
		x.find("anchors:broken", place, err)
	case err != nil:
		x.find("anchors", "XDG_STATE_HOME", err)
	}
}
