// Package fault is what can be wrong with a file of memory.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/council-engine/council/internal/fileerror"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// Sentinels; package store explains them.
var (
	ErrNewer      = wire.ErrNewer
	ErrDamaged    = wire.ErrDamaged
	ErrUnreadable = errors.New("a file of memory cannot be read")
	ErrFile       = errors.New("a file of memory is damaged")
)

// Broken says what is wrong with a file that was read.
func Broken(name, format string, args ...any) error {
	return &broken{text: fmt.Sprintf("%v: %s: %s", ErrDamaged, name, fmt.Sprintf(format, args...))}
}

// broken is a file of memory that is not what was written.
type broken struct{ text string }

func (e *broken) Error() string { return e.text }

// Unwrap tells it from other damage.
func (e *broken) Unwrap() []error { return []error{ErrDamaged, ErrFile} }

// Newer says that a file has a format that this version does not know.
func Newer(name string, format int) error {
	return fmt.Errorf("%w: %s has format %d, and this version reads formats up to %d", ErrNewer, name, format, memory.Format)
}

// Unread says why a file could not be read. That there is none stays [fs.ErrNotExist].
func Unread(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) {
		return err
	}
	return &unread{name: path.Clean(name), why: err}
}

// unread is a file that the system does not let be read.
type unread struct {
	name string
	why  error
}

func (e *unread) Error() string {
	return fmt.Sprintf("%v: %s: %v", ErrUnreadable, e.name, fileerror.Of(e.why))
}

// Unwrap returns what it is a case of, and the system's own error.
func (e *unread) Unwrap() []error { return []error{ErrUnreadable, e.why} }
