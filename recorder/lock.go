package recorder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// Holder is the process that writes a session.
type Holder struct {
	PID  int    `json:"pid"`
	Host string `json:"host"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s", h.PID, h.Host)
}

// alive reports whether the holder may still be running. On another machine that cannot be known.
func (h Holder) alive() bool {
	if h.PID <= 0 {
		return false
	}
	if host, err := os.Hostname(); err != nil || host != h.Host {
		return true
	}
	p, err := os.FindProcess(h.PID)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// lock is the right to write one session. The kernel takes it back when the process ends, however that happens. The
// file is never unlinked: who waits for an unlinked file would get a lock on nothing.
type lock struct {
	held   *flock.Flock
	holder atomicfile.File
}

func lockName(id council.SessionID) string { return string(id) + ".lock" }

// acquire takes the lock of a session and says in it who holds it. A [*LockedError]: somebody else has it.
func (r *Root) acquire(id council.SessionID) (*lock, error) {
	locks, err := r.files.Folder(locksFolder)
	if err != nil {
		return nil, plain(r.path, err)
	}
	l, err := lockIn(locks, id)
	return l, errors.Join(plain(r.path, err), locks.Close())
}

func lockIn(locks atomicfile.Files, id council.SessionID) (*lock, error) {
	f, err := openLock(locks, lockName(id))
	if err != nil {
		return nil, err
	}
	l := &lock{
		held:   flock.New(filepath.Join(locks.Path(), lockName(id)), flock.SetFlag(os.O_RDWR), flock.SetPermissions(0o600)),
		holder: f,
	}
	held, err := l.held.TryLock()
	if err == nil && !held {
		err = &LockedError{Session: id, Holder: signer(f)}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := l.sign(); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

func openLock(locks atomicfile.Files, name string) (atomicfile.File, error) {
	f, err := locks.Create(name)
	if errors.Is(err, fs.ErrExist) {
		return locks.Edit(name)
	}
	return f, err
}

// sign writes who holds the lock. It is for people, and need not survive a crash.
func (l *lock) sign() error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	text, err := json.Marshal(Holder{PID: os.Getpid(), Host: host})
	if err != nil {
		return err
	}
	if err := l.holder.Truncate(0); err != nil {
		return err
	}
	_, err = l.holder.WriteAt(text, 0)
	return err
}

// release gives the lock back, even if the holder's name cannot be struck out.
func (l *lock) release() error {
	return errors.Join(l.holder.Truncate(0), l.holder.Close(), l.held.Close())
}

// signer is who holds a lock that could not be had. Whoever has only just taken it may not have signed yet, and what
// stands there may be a dead process's: so it looks again for a tenth of a second.
func signer(f atomicfile.File) Holder {
	for range 20 {
		if h := readHolder(f); h.alive() {
			return h
		}
		time.Sleep(5 * time.Millisecond)
	}
	return Holder{}
}

// readHolder is who holds a lock, as far as it can be read.
func readHolder(f atomicfile.File) Holder {
	text := make([]byte, 1024)
	n, _ := f.ReadAt(text, 0) // at the end of the file, or unreadable: then nobody is named
	var h Holder
	if json.Unmarshal(text[:n], &h) != nil {
		return Holder{}
	}
	return h
}

// holder is who writes a session now, or nobody. It takes no lock, so that it disturbs nobody who does.
func (r *Root) holder(id council.SessionID) Holder {
	locks, err := r.files.Folder(locksFolder)
	if err != nil {
		return Holder{}
	}
	defer locks.Close()
	f, err := locks.Open(lockName(id))
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	if h := readHolder(f); h.alive() {
		return h
	}
	return Holder{}
}
