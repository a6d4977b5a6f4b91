package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/workspace"
	"github.com/council-engine/council/recorder"
)

// The least free space, in bytes: what a long session may write, and what hardly any session keeps within.
const (
	tightSpace = 200 << 20
	noSpace    = 5 << 20
)

// checkRecord looks at the folder of the record, which need not be there yet.
func (d Doctor) checkRecord(c *council.Charter, found *findings) {
	path := c.Storage.RootDir
	root, err := recorder.FindRoot(path, d.Record()...)
	switch {
	case err == nil:
		defer root.Close()
		checkPrivacy(path, found)
		checkSessions(root, found)
		d.checkMemory(root, c, found)
		d.checkDisk(path, found)
	case errors.Is(err, recorder.ErrNoRoot):
		d.checkDisk(path, found)
	default:
		found.add(Finding{Code: "record", Severity: Stops, Where: path, Problem: sentence(err.Error()),
			Why: "No session can be recorded there.", Do: "Choose another folder with --root, or with storage.rootDir."})
	}
}

// checkDisk writes, syncs and locks a file of its own, and removes it. Where there is no folder yet, it tries the one
// in which it would be made.
func (d Doctor) checkDisk(path string, found *findings) {
	there, err := filepath.Abs(path)
	for err == nil {
		info, failed := os.Stat(there)
		if failed == nil && info.IsDir() || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	if err != nil {
		return // without a working folder every command says so
	}
	f := Finding{Severity: Stops, Where: there}
	files, err := atomicfile.OpenDir(there)
	if err == nil {
		defer files.Close()
		f.Code, err = try(d.Through(files))
	} else {
		f.Code = "disk-write"
	}
	if err != nil {
		f.Problem = map[string]string{
			"disk-write": "No file can be written in the folder of the record: ",
			"disk-sync":  "What is written to the folder of the record cannot be made to last: ",
			"disk-lock":  "Files in the folder of the record cannot be locked: ",
		}[f.Code] + reason(err) + "."
		f.Why = "A reply that was paid for might be lost, so nothing is asked."
		f.Do = "Choose a folder on a disk of this machine with --root, or with storage.rootDir."
		if errors.Is(err, fs.ErrPermission) {
			f.Do = "Make the folder writable for this user, or choose another with --root."
		}
		if errors.Is(err, syscall.ENOSPC) {
			f.Do = "Free some space, or choose another folder with --root."
		}
		found.add(f)
		return
	}
	free, known := d.free(there)
	if !known || free >= tightSpace {
		return
	}
	f.Code, f.Severity = "disk-space", Costs
	f.Problem = fmt.Sprintf("There are %s MB free on the disk of the record.", plural.Thousands(int64(free>>20)))
	f.Why = "A long session may fill it, and would be suspended; what was paid for is kept."
	f.Do = "Free some space, or choose another folder with --root."
	if free < noSpace {
		f.Severity, f.Why = Stops, "A session would be suspended as soon as the disk is full."
	}
	found.add(f)
}

// reason returns the reason of the system for an error, without a file name that people do not know.
func reason(err error) string {
	if told := new(fs.PathError); errors.As(err, &told) {
		return told.Err.Error()
	}
	return err.Error()
}

func (d Doctor) free(path string) (uint64, bool) {
	if d.Free != nil {
		return d.Free(path)
	}
	return free(path)
}

// try does to a file of its own what a session does to its record. code names what does not work.
func try(files atomicfile.Files) (code string, err error) {
	name := fmt.Sprintf(".doctor.%d.tmp", os.Getpid()) // as temporary files are called, so that fsck would sweep it
	f, err := files.Create(name)
	if errors.Is(err, fs.ErrExist) {
		f, err = files.Edit(name)
	}
	if err != nil {
		return "disk-write", err
	}
	defer files.Remove(name)
	_, err = f.WriteAt([]byte("council doctor\n"), 0)
	if err != nil {
		return "disk-write", errors.Join(err, f.Close())
	}
	if err = errors.Join(f.Sync(), f.Close()); err == nil {
		err = files.Sync()
	}
	if err != nil {
		return "disk-sync", err
	}
	lock, err := atomicfile.TakeLock(files, name)
	if err != nil {
		return "disk-lock", err
	}
	second, err := atomicfile.TakeLock(files, name)
	switch {
	case err == nil:
		err = errors.Join(errors.New("two could hold one lock at the same time"), second.Release())
	case errors.Is(err, atomicfile.ErrLocked):
		err = nil
	}
	return "disk-lock", errors.Join(err, lock.Release())
}

// checkPrivacy finds what other users of the machine may look into.
func checkPrivacy(root string, found *findings) {
	if runtime.GOOS == "windows" { // permissions are not told by mode there
		return
	}
	if info, err := os.Stat(root); err == nil && info.Mode().Perm()&0o077 != 0 {
		found.add(Finding{Code: "record-open", Severity: Costs, Where: root,
			Problem: fmt.Sprintf("Other users of this machine may look into the record: the folder has the mode %04o.",
				info.Mode().Perm()),
			Why: "It holds all that was said, and may hold credentials.",
			Do:  "Run: chmod 700 " + root})
	}
	path := filepath.Join(root, credential.VaultFile)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		found.add(Finding{Code: "credentials-open", Severity: Stops, Where: path,
			Problem: fmt.Sprintf("Other users of this machine may read the stored credentials: the file has the mode %04o.",
				info.Mode().Perm()),
			Why: "council takes no credential from a file that others can read.",
			Do:  fmt.Sprintf("Run chmod 600 %s, and replace the keys that somebody may have seen.", path)})
	}
}

func checkSessions(root *recorder.Root, found *findings) {
	sessions, err := root.List()
	if err != nil {
		found.add(Finding{Code: "record", Severity: Stops, Where: root.Path(), Problem: sentence(err.Error()),
			Why: "No session can be recorded there.", Do: "Run: council fsck"})
		return
	}
	held := map[council.SessionID]recorder.Status{}
	for _, s := range sessions {
		held[s.ID] = s.Status
		at := filepath.ToSlash(root.Place(s.ID))
		switch s.Status {
		case recorder.StatusRunning:
			found.add(Finding{Code: "session-held", Severity: Remark, Where: at,
				Problem: fmt.Sprintf("Session %s is in use by %s.", s.ID, s.Holder),
				Why:     "Nobody else can resume it; its calls count against the same accounts.",
				Do:      "Nothing, if you know of it."})
		case recorder.StatusUnreadable:
			found.add(Finding{Code: "session-unreadable", Severity: Costs, Where: at,
				Problem: sentence(fmt.Sprintf("Session %s cannot be read: %v", s.ID, s.Err)),
				Why:     "It cannot be resumed or recalled; other sessions are not affected.", Do: "Run: council fsck"})
		case recorder.StatusInterrupted, recorder.StatusSuspended:
			found.add(Finding{Code: "session-unfinished", Severity: Remark, Where: at,
				Problem: fmt.Sprintf("Session %s has not come to its end.", s.ID),
				Why:     "What was paid for it brings no decision.",
				Do:      "Run: " + cli.CommandLine(root, "council resume "+string(s.ID))})
		}
	}
	marked, err := root.Unsettled()
	if err != nil {
		return // what is wrong with the folder was said
	}
	for _, id := range marked {
		switch status, there := held[id]; {
		case !there:
			found.add(Finding{Code: "marker-stale", Severity: Remark,
				Where:   filepath.ToSlash(filepath.Join(root.Path(), "open", string(id))),
				Problem: fmt.Sprintf("Session %s is marked as not done, and is not there.", id),
				Why:     "Somebody moved it away.", Do: "Nothing: the next session takes the mark away."})
		case status == recorder.StatusClosed:
			found.add(Finding{Code: "close-unfinished", Severity: Remark,
				Where:   filepath.ToSlash(filepath.Join(root.Path(), "open", string(id))),
				Problem: fmt.Sprintf("Session %s is closed and not remembered yet.", id),
				Why:     "The process was cut off at its end.",
				Do:      "Nothing: the next session, or council memory check, makes good for it."})
		}
	}
}

func (d Doctor) checkMemory(root *recorder.Root, c *council.Charter, found *findings) {
	dir := workspace.MemoryDir(c.Storage, root.Path())
	f := Finding{Code: "memory-unreadable", Severity: Costs, Where: dir,
		Why: "Members would not be reminded of what it holds, and what they decide would not be added to it.",
		Do:  "Run: council memory check"}
	w, err := workspace.Open(root, dir)
	if err != nil {
		f.Problem = sentence(err.Error())
		found.add(f)
		return
	}
	w.Remind(c, council.Topic{}, d.Now(), func(err error) {
		f.Problem = sentence(err.Error())
		if !strings.Contains(f.Problem, dir) {
			f.Where = dir
		}
		found.add(f)
	})
}

// checkKeys looks at the place of this machine's key, which vouches for sessions.
func (d Doctor) checkKeys(found *findings) {
	f := Finding{Code: "anchors", Severity: Remark, Where: "XDG_STATE_HOME",
		Why: "Sessions are recorded all the same, but nothing outside of the record vouches for them.",
		Do:  "Set XDG_STATE_HOME or HOME to a folder of yours."}
	place, err := d.Keys()
	if err != nil {
		f.Problem = sentence(err.Error())
		if place != "" {
			f.Where, f.Severity, f.Do = place, Costs, "Make it readable, or move it away: a new key is made then."
		}
		found.add(f)
	}
}
