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

// acquire takes the lock of a session, to change it. [ErrLocked]: another process has it. [ErrArchived].
func (r *Root) acquire(id council.SessionID) (*atomicfile.Lock, error) {
	l, err := r.seize(id)
	if err == nil && r.Archived(id) {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrArchived, id), l.Release())
	}
	return l, err
}

// seize takes the lock of a session, archived or not, and writes the holder into it. [ErrLocked].
func (r *Root) seize(id council.SessionID) (l *atomicfile.Lock, err error) {
	err = atomicfile.Within(r.files, LocksFolder, func(locks atomicfile.Files) error {
		l, err = atomicfile.TakeLock(locks, lockName(id))
		return err
	})
	if held, ok := errors.AsType[*atomicfile.LockedError](err); ok {
		err = fmt.Errorf("session %s %w by %s", id, ErrLocked, held.Holder)
	}
	return l, plain(r.path, err)
}

// Holder reports whether a process writes a session now, and which one.
func (r *Root) Holder(id council.SessionID) (h Holder, held bool) {
	_ = atomicfile.Within(r.files, LocksFolder, func(locks atomicfile.Files) error {
		h, held = atomicfile.LockedBy(locks, lockName(id))
		return nil
	})
	return h, held
}

// locked runs do while this process has the lock of a session, as take takes it. [ErrUnknownSession]; [ErrLocked].
func (r *Root) locked(id council.SessionID, take func(council.SessionID) (*atomicfile.Lock, error), do func() error,
) error {
	if err := r.known(id); err != nil {
		return err
	}
	l, err := take(id)
	if err != nil {
		return err
	}
	return errors.Join(plain(r.path, do()), l.Release())
}

// known returns an [ErrUnknownSession] for an id that no session has, so that it leaves no lock file behind.
func (r *Root) known(id council.SessionID) error {
	return r.inside(id, func(atomicfile.Files) error { return nil })
}

// inside runs do in a session's folder. [ErrUnknownSession]; other errors are those of do, in plain words.
func (r *Root) inside(id council.SessionID, do func(atomicfile.Files) error) error {
	files, err := r.folder(id)
	if err != nil {
		return err
	}
	return errors.Join(plain(files.Path(), do(files)), files.Close())
}

// alone runs do in a session's folder while this process has the session's lock. Errors as for locked; [ErrArchived].
func (r *Root) alone(id council.SessionID, do func(atomicfile.Files) error) error {
	return r.locked(id, r.acquire, func() error { return r.inside(id, do) })
}
