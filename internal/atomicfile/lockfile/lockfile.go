// Package lockfile is the right to write something that several processes might. The kernel takes it back when the
// process ends, however that happens. The file is never unlinked: who waits for an unlinked file would get a lock on
// nothing. What it holds says who has the lock; that is for people, and need not survive a crash.
package lockfile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/council-engine/council/internal/atomicfile"
)

// ErrHeld: somebody else has the lock; a [HeldError] says who.
var ErrHeld = errors.New("the lock is held")

// HeldError says who has a lock.
type HeldError struct{ Holder Holder }

func (e *HeldError) Error() string { return "it is in use by " + e.Holder.String() }

// Is makes every HeldError an [ErrHeld].
func (e *HeldError) Is(target error) bool { return target == ErrHeld }

// Lock is a lock that is held.
type Lock struct {
	held   *flock.Flock
	holder atomicfile.File
}

const (
	pause  = 5 * time.Millisecond // between two attempts
	asking = time.Second          // at most, while processes only ask whether the lock is held; see [Held]
)

// Take takes the lock in a file of the folder, which it makes if there is none, and says in it who holds it. A
// [*HeldError]: somebody else has it.
func Take(files atomicfile.Files, name string) (*Lock, error) { return Wait(files, name, 0) }

// Wait is Take, except that it tries for as long as patience while somebody else has the lock.
func Wait(files atomicfile.Files, name string, patience time.Duration) (*Lock, error) {
	f, err := open(files, name)
	if err != nil {
		return nil, err
	}
	l := &Lock{
		held:   flock.New(filepath.Join(files.Path(), name), flock.SetFlag(os.O_RDWR), flock.SetPermissions(0o600)),
		holder: f,
	}
	taken, err := l.held.TryLock()
	for waited := time.Duration(0); err == nil && !taken; waited += pause {
		if waited >= patience+asking || waited >= patience && held(l.held) {
			err = &HeldError{Holder: signer(f)}
			break
		}
		time.Sleep(pause)
		taken, err = l.held.TryLock()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := l.sign(); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

func open(files atomicfile.Files, name string) (atomicfile.File, error) {
	f, err := files.Create(name)
	if errors.Is(err, fs.ErrExist) {
		return files.Edit(name)
	}
	return f, err
}

// sign writes who holds the lock.
func (l *Lock) sign() error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	text, err := json.Marshal(Holder{PID: os.Getpid(), Host: host})
	if err != nil {
		return err
	}
	if err := l.holder.Truncate(signature); err != nil {
		return err
	}
	_, err = l.holder.WriteAt(text, signature)
	return err
}

// Release gives the lock back, even if the holder's name cannot be struck out.
func (l *Lock) Release() error {
	return errors.Join(l.holder.Truncate(signature), l.holder.Close(), l.held.Close())
}
