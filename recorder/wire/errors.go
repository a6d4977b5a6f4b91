package wire

import (
	"errors"
	"fmt"
)

// Sentinels of a scan.
var (
	// ErrDamaged: the file is not what was written, and not for want of its last bytes only. See [DamageError].
	ErrDamaged = errors.New("the record is damaged")
	// ErrNewer: the file was written by a later version of council. Read it with that version.
	ErrNewer = errors.New("the record was written by a newer version of council")
	// ErrUnwritable: the event would not come back as it went in, so it was not written.
	ErrUnwritable = errors.New("the event cannot be recorded")
)

// DamageError says where a file is damaged.
type DamageError struct {
	File    string // as it is called in the session's folder
	Event   int    // the event (or line) that is damaged, counted from 1
	Offset  int64  // of its first byte in the file
	Problem string // a plain sentence
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged at entry %d, byte %d: %s", e.File, e.Event, e.Offset, e.Problem)
}

// Is makes every DamageError an [ErrDamaged].
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }

// InFile puts the name of a file into the damage that a scan found in it.
func InFile(name string, err error) error {
	var damage *DamageError
	if errors.As(err, &damage) {
		damage.File = name
	}
	return err
}
