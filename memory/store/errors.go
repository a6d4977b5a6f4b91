package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/council-engine/council/memory/store/internal/fault"
)

// Sentinels of memory on disk. All are wrapped with what was found.
var (
	// ErrNewer: a newer version of council wrote the file. Use that version.
	ErrNewer = fault.ErrNewer
	// ErrDamaged: a file is not what was written. Put it back, or rebuild memory.
	ErrDamaged = fault.ErrDamaged
	// ErrFile: with ErrDamaged, the file is one of memory, and not the log of a session.
	ErrFile = fault.ErrFile
	// ErrUnreadable: the system does not let the file be read. Its own error is wrapped too.
	ErrUnreadable = fault.ErrUnreadable
	// ErrBehind: the book lacks a step that could not be folded in, so nothing newer may be either.
	ErrBehind = errors.New("memory lags behind its journal")
	// ErrRebuilding: a rebuild was interrupted. Rebuild again.
	ErrRebuilding = errors.New("a rebuild of memory was interrupted")
	// ErrBusy: another process has been writing memory for too long. Try again.
	ErrBusy = errors.New("memory is in use")
	// ErrNotClosed: the session has not closed, and only closed sessions are remembered.
	ErrNotClosed = errors.New("the session has not closed")
	// ErrNoRecord: no record has that id, or begins with it.
	ErrNoRecord = errors.New("there is no such record")
	// ErrNoMember: this cannot be the name of a member.
	ErrNoMember = errors.New("there can be no such member")
)

// AmbiguousError says that the beginning of an id fits several records.
type AmbiguousError struct {
	Prefix     string
	Candidates []string // sorted
}

func (e *AmbiguousError) Error() string {
	const shown = 5
	names := e.Candidates
	more := ""
	if len(names) > shown {
		names, more = names[:shown], fmt.Sprintf(" and %d more", len(names)-shown)
	}
	return fmt.Sprintf("%q names %d records: %s%s", e.Prefix, len(e.Candidates), strings.Join(names, ", "), more)
}
