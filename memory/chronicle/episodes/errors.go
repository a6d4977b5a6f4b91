package episodes

import (
	"errors"
	"fmt"

	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/chain"
)

// Sentinels. All are wrapped with what was found.
var (
	// ErrUnknown: there is no such episode or turn. List them; or the session is not closed yet.
	ErrUnknown = chronicle.ErrUnknown
	// ErrUnreadable: a file, or a pack, is not what was written or cannot be opened. It was left as it is. It is derived
	// and can be made again from the session's log.
	ErrUnreadable = errors.New("it cannot be read")
	// ErrDiffers: an episode or a turn is missing, or is not what the log of its session yields. It can be made again.
	ErrDiffers = errors.New("it is not what its session yields")
	// ErrNewer: the file was written by a later version of council. Read it with that version.
	ErrNewer = chain.ErrNewer
)

// unreadable names a file that cannot be read, and why.
func unreadable(path string, why error) error {
	switch {
	case errors.Is(why, ErrUnreadable):
		return why
	case errors.Is(why, ErrNewer):
		return fmt.Errorf("%s: %w", path, why)
	}
	return &PathError{Path: path, Err: fmt.Errorf("%w: %w", ErrUnreadable, why)}
}

// PathError says which file something is wrong with. It wraps what: [ErrUnreadable] or [ErrDiffers].
type PathError struct {
	Path string // within the folder of the record
	Err  error
}

func (e *PathError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *PathError) Unwrap() error { return e.Err }
