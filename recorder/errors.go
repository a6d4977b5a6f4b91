package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/council-engine/council/recorder/chain"
)

// Sentinels of a workspace. All are wrapped with what was found.
var (
	// ErrNoRoot: there is no workspace there. Convene a council to make one, or name another folder.
	ErrNoRoot = errors.New("there is no council workspace")
	// ErrForeign: the folder was made by something else and is left alone. Name another one.
	ErrForeign = errors.New("the folder is not a council workspace")
	// ErrReadOnly: the folder cannot be written. Change its permissions, or name another one.
	ErrReadOnly = errors.New("the folder cannot be written")
	// ErrNewer: the record was written by a newer version of council. Read it with that version.
	ErrNewer = chain.ErrNewer
	// ErrDamaged: the record is not what was written; a [chain.DamageError] says where.
	ErrDamaged = chain.ErrDamaged
)

// Sentinels of a session. All are wrapped with what was found.
var (
	// ErrUnknownSession: no session has that name. List the sessions.
	ErrUnknownSession = errors.New("there is no such session")
	// ErrExists: a session of that id has begun already. Resume it, or take another id.
	ErrExists = errors.New("the session exists already")
	// ErrNotBegun: the session's folder holds no event, because it was interrupted before the first. Convene again.
	ErrNotBegun = errors.New("the session never began")
	// ErrAmbiguous: a prefix names several sessions. Give more of the id.
	ErrAmbiguous = errors.New("names several sessions")
	// ErrLocked: another process is writing the session, which the error names. Wait for it or end it.
	ErrLocked = errors.New("is in use")
	// ErrNotClosed: words can only be forgotten of a session that has come to its end. Resume or adjourn it first.
	ErrNotClosed = errors.New("the session is not closed")
	// ErrArchived: the session is archived and cannot be changed. Restore it first.
	ErrArchived = errors.New("the session is archived")
	// ErrStays: the session cannot be archived as it stands.
	ErrStays = errors.New("the session cannot be archived")
	// ErrVague: what is to be forgotten is not said clearly enough: an event that is not there, or too short a
	// fragment.
	ErrVague = errors.New("that cannot be forgotten")
	// ErrClosed: the session was closed by its holder. A mistake in the program.
	ErrClosed = errors.New("the session's record was closed")
)

// plain turns the system's error about a folder into one sentence for people.
func plain(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %s: %w", ErrReadOnly, path, err)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %s is a file, or lies in one", ErrForeign, path)
	}
	if told := (*fs.PathError)(nil); errors.As(err, &told) {
		return fmt.Errorf("the folder %s cannot be used: %w", path, told.Err)
	}
	return err
}
