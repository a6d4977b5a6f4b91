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

// Sentinels of memory on disk. All are wrapped with what was found.
var (
	// ErrNewer: a newer version of council wrote the file. Use that version.
	ErrNewer = chain.ErrNewer
	// ErrDamaged: a file is not what was written. Put it back, or rebuild memory.
	ErrDamaged = chain.ErrDamaged
	// ErrFile: an ErrDamaged of a file of memory, and not of the log of a session.
	ErrFile = fmt.Errorf("%w", ErrDamaged)
	// ErrUnreadable: the system does not let the file be read. Its own error is wrapped too.
	ErrUnreadable = errors.New("a file of memory cannot be read")
	// ErrBehind: the book lacks a step that could not be folded in, so nothing newer may be either.
	ErrBehind = errors.New("memory lags behind its journal")
	// ErrRebuilding: a rebuild was interrupted. Rebuild again.
	ErrRebuilding = errors.New("a rebuild of memory was interrupted")
	// ErrBusy: another process has been writing memory for too long. Try again.
	ErrBusy = errors.New("memory is in use")
	// ErrEdit: what a person changed in a file cannot be taken in. Mend it there, or discard it.
	ErrEdit = errors.New("an edit cannot be taken in")
	// ErrNotClosed: the session has not closed, and only closed sessions are remembered.
	ErrNotClosed = errors.New("the session has not closed")
	// ErrNoRecord: no record has that id, or begins with it.
	ErrNoRecord = errors.New("there is no such record")
	// ErrNoMember: this cannot be the name of a member.
	ErrNoMember = errors.New("there can be no such member")
)

// InTheWay reports whether an error is of one book that cannot be read, so that the others can go on: [ErrDamaged],
// [ErrNewer] or [ErrUnreadable].
func InTheWay(err error) bool {
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

// broken returns an [ErrFile] that says what is wrong with a file that was read.
func broken(name, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrFile, name, fmt.Sprintf(format, args...))
}

// withheld is an [ErrUnreadable]; why is the system's error, which people are told in other words.
type withheld struct {
	text string
	why  error
}

func (e *withheld) Error() string   { return e.text }
func (e *withheld) Unwrap() []error { return []error{ErrUnreadable, e.why} }

// newer returns an [ErrNewer] for a file whose format this version does not know.
func newer(name string, format int) error {
	return fmt.Errorf("%w: %s has format %d, and this version reads formats up to %d",
		ErrNewer, name, format, memory.Format)
}

// unread returns an [ErrUnreadable] that says why a file could not be read. [fs.ErrNotExist], [ErrDamaged] and
// [ErrNewer] are returned as they are.
func unread(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) {
		return err
	}
	text := fmt.Sprintf("%v: %s: %v", ErrUnreadable, path.Clean(name), atomicfile.Explain(err))
	return &withheld{text, err}
}
