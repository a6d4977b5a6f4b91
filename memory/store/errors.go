package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
)

// Sentinels of memory on disk. All are wrapped with details.
var (
	// ErrNewer means that a newer version of council wrote the file.
	ErrNewer = chain.ErrNewer
	// ErrDamaged means that a file was changed or cut short. Restore it, or rebuild memory.
	ErrDamaged = chain.ErrDamaged
	// ErrFile is an ErrDamaged of a file of memory, and not of the log of a session.
	ErrFile = fmt.Errorf("%w", ErrDamaged)
	// ErrUnreadable means that the system refuses to read the file. It wraps the system's error.
	ErrUnreadable = errors.New("a file of memory cannot be read")
	// ErrBehind means that the book lacks a step that could not be folded in, so it cannot take newer ones.
	ErrBehind = errors.New("memory lags behind its journal")
	// ErrRebuilding means that a rebuild was interrupted. Rebuild again.
	ErrRebuilding = errors.New("a rebuild of memory was interrupted")
	// ErrBusy means that another process writes memory. Try again.
	ErrBusy = errors.New("memory is in use")
	// ErrEdit means that a person's edit is invalid. Repair or discard it.
	ErrEdit = errors.New("an edit cannot be taken in")
	// ErrNotClosed means that the session is open. Only closed sessions are remembered.
	ErrNotClosed = errors.New("the session has not closed")
	// ErrNoRecord means that no id of a record begins so.
	ErrNoRecord = errors.New("there is no such record")
	// ErrNoMember means that this cannot be the id of a member.
	ErrNoMember = errors.New("there can be no such member")
)

// IsUnreadable reports whether an error concerns one unreadable book, so that the others can go on: [ErrDamaged],
// [ErrNewer] or [ErrUnreadable].
func IsUnreadable(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) || errors.Is(err, ErrUnreadable)
}

// AmbiguousError is returned for a prefix that several record ids begin with.
type AmbiguousError struct {
	Prefix     string
	Candidates []string // sorted
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q names %d records: %s", e.Prefix, len(e.Candidates), plural.List(e.Candidates, 5))
}

func damagedError(name, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrFile, name, fmt.Sprintf(format, args...))
}

// unreadableError is an [ErrUnreadable] with the system's error.
type unreadableError struct {
	text string
	why  error
}

func (e *unreadableError) Error() string   { return e.text }
func (e *unreadableError) Unwrap() []error { return []error{ErrUnreadable, e.why} }

func newerError(name string, format int) error {
	return fmt.Errorf("%w: %s has format %d, and this version reads formats up to %d",
		ErrNewer, name, format, memory.Format)
}

// unreadable returns an [ErrUnreadable] for a file. [fs.ErrNotExist], [ErrDamaged] and [ErrNewer] are returned as they
// are.
func unreadable(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) {
		return err
	}
	text := fmt.Sprintf("%v: %s: %v", ErrUnreadable, path.Clean(name), atomicfile.Explain(err))
	return &unreadableError{text, err}
}
