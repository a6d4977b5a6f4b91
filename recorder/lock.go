package recorder

import (
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// Holder is the process that writes a session.
type Holder = atomicfile.Holder

const lockSuffix = ".lock"

func lockName(id council.SessionID) string { return string(id) + lockSuffix }

// acquire takes the lock of a session, to change it. A [*LockedError]: another process has it. [ErrArchived].
func (r *Root) acquire(id council.SessionID) (*atomicfile.Lock, error) {
	l, err := r.seize(id)
	if err == nil && r.Archived(id) {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrArchived, id), l.Release())
	}
	return l, err
}

// seize takes the lock of a session, archived or not, and writes the holder into it. A [*LockedError].
func (r *Root) seize(id council.SessionID) (*atomicfile.Lock, error) {
	locks, err := r.files.Folder(LocksFolder)
	if err != nil {
		return nil, plain(r.path, err)
	}
	l, err := atomicfile.TakeLock(locks, lockName(id))
	var held *atomicfile.LockedError
	if errors.As(err, &held) {
		err = &LockedError{Session: id, Holder: held.Holder}
	}
	return l, errors.Join(plain(r.path, err), locks.Close())
}

// Holder reports whether a process writes a session now, and which one.
func (r *Root) Holder(id council.SessionID) (Holder, bool) {
	locks, err := r.files.Folder(LocksFolder)
	if err != nil {
		return Holder{}, false
	}
	defer locks.Close()
	return atomicfile.LockedBy(locks, lockName(id))
}

// alone runs do in a session's folder while this process has the session's lock. [ErrUnknownSession]; a [*LockedError].
func (r *Root) alone(id council.SessionID, do func(atomicfile.Files) error) error {
	files, err := r.folder(id)
	if err != nil {
		return err
	}
	defer files.Close()
	l, err := r.acquire(id)
	if err != nil {
		return err
	}
	return errors.Join(plain(files.Path(), do(files)), l.Release())
}
