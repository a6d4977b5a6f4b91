package atomicfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked: another process has the lock; a [LockedError] says which.
var ErrLocked = errors.New("the lock is held")

// LockedError names the holder of a lock.
type LockedError struct{ Holder Holder }

func (e *LockedError) Error() string { return "it is in use by " + e.Holder.String() }

// Is makes every LockedError an [ErrLocked].
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// Lock keeps other processes from writing. The kernel releases it when the process ends, however that happens. The file
// is never unlinked, because a process that waits for an unlinked file would get a useless lock. Its content names the
// holder, for people, and need not survive a crash.
type Lock struct {
	held   *flock.Flock
	holder File
}

const (
	pause   = 5 * time.Millisecond // between two attempts
	askTime = time.Second          // the longest time that it looks taken because of [LockedBy]
)

// TakeLock takes and signs the lock in a file, which it makes if need be. A [*LockedError]: another process has it.
func TakeLock(files Files, name string) (*Lock, error) { return WaitLock(files, name, 0) }

// WaitLock is TakeLock, but tries for as long as patience.
func WaitLock(files Files, name string, patience time.Duration) (*Lock, error) {
	f, err := openLock(files, name)
	if err != nil {
		return nil, err
	}
	l := &Lock{held: newFlock(files, name, os.O_RDWR), holder: f}
	if err := l.wait(patience); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := l.For(""); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// WithLock runs do while this process has the lock, which it takes as [WaitLock] does.
func WithLock(files Files, name string, patience time.Duration, do func() error) error {
	lock, err := WaitLock(files, name, patience)
	if err != nil {
		return fmt.Errorf("%s cannot be locked: %w", filepath.ToSlash(filepath.Join(files.Path(), name)), err)
	}
	return errors.Join(do(), lock.Release())
}

// BriefLock is WaitLock for locks that are held for milliseconds: it does not sign, which takes half the time.
func BriefLock(files Files, name string, patience time.Duration) (*Lock, error) {
	l := &Lock{held: newFlock(files, name, os.O_RDWR)}
	err := l.wait(patience)
	if !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	f, err := openLock(files, name)
	if err != nil {
		return nil, err
	}
	return l, errors.Join(f.Close(), l.wait(patience))
}

func newFlock(files Files, name string, flag int) *flock.Flock {
	return flock.New(filepath.Join(files.Path(), name), flock.SetFlag(flag), flock.SetPermissions(0o600))
}

// wait takes the lock within patience. A [*LockedError]: it was taken for so long.
func (l *Lock) wait(patience time.Duration) error {
	taken, err := l.held.TryLock()
	for waited := time.Duration(0); err == nil && !taken; waited += pause {
		if waited >= patience+askTime || waited >= patience && isLocked(l.held) {
			locked := new(LockedError)
			if l.holder != nil {
				locked.Holder = readSigner(l.holder)
			}
			return locked
		}
		time.Sleep(pause)
		taken, err = l.held.TryLock()
	}
	return err
}

func openLock(files Files, name string) (File, error) {
	f, err := files.Edit(name)
	if errors.Is(err, fs.ErrNotExist) {
		f, _, err = createOrEdit(files, name)
	}
	return f, err
}

// For signs the lock for a worker on another machine.
func (l *Lock) For(worker string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	text, err := json.Marshal(Holder{PID: os.Getpid(), Host: host, Worker: worker})
	if err == nil {
		err = l.holder.Truncate(signature)
	}
	if err == nil {
		_, err = l.holder.WriteAt(text, signature)
	}
	return err
}

// Release releases the lock, even if the signature cannot be removed.
func (l *Lock) Release() error {
	if l.holder == nil {
		return l.held.Close()
	}
	return errors.Join(l.holder.Truncate(signature), l.holder.Close(), l.held.Close())
}

// Holder is the process that has a lock.
type Holder struct {
	PID    int    `json:"pid"`
	Host   string `json:"host"`
	Worker string `json:"worker,omitempty"` // the worker on another machine for which the process has it
}

func (h Holder) String() string {
	switch {
	case h.Worker != "":
		return "worker " + h.Worker
	case h.PID == 0:
		return "another process"
	}
	return fmt.Sprintf("process %d on %s", h.PID, h.Host)
}

// LockedBy returns the holder that signed the lock in a file; held is false where no process has it. It asks the lock
// itself, because the number of an ended process may belong to another one, and in a container it usually does. A lock
// without a signature counts as free.
func LockedBy(files Files, name string) (Holder, bool) {
	f, err := files.Open(name)
	if err != nil {
		return Holder{}, false
	}
	defer f.Close()
	h := readHolder(f)
	if h == (Holder{}) || !isLocked(newFlock(files, name, os.O_RDONLY)) {
		return Holder{}, false
	}
	return h, true
}

// isLocked reports whether another process has the lock. To ask it shares the lock for a moment, which [WaitLock]
// allows for. An error counts as free: such a lock cannot be taken either.
func isLocked(l *flock.Flock) bool {
	shared, err := l.TryRLock()
	if shared {
		_ = l.Close() // the file is closed with it, and the lock is free in any case
	}
	return err == nil && !shared
}

// readSigner returns the holder of a lock that could not be taken, after a tenth of a second if it has not signed yet.
func readSigner(f File) Holder {
	host, err := os.Hostname()
	for range 20 {
		// Whether a process is running on another machine cannot be known.
		if h := readHolder(f); h.PID > 0 && (err != nil || host != h.Host || Running(h.PID)) {
			return h
		}
		time.Sleep(5 * time.Millisecond)
	}
	return Holder{}
}

// signature is where the holder's name begins. The lock is on the byte before it, which Windows lets no other handle
// read or write while the lock is held.
const signature = 1

// readHolder returns the holder that signed the file, if any.
func readHolder(f File) Holder {
	text := make([]byte, 1024)
	n, _ := f.ReadAt(text, signature) // an error means no signature
	var h Holder
	if json.Unmarshal(text[:n], &h) != nil {
		return Holder{}
	}
	return h
}
