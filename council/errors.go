package council

import (
	"errors"
	"fmt"
)

// Sentinels of a session. All are wrapped with what was wrong.
var (
	// ErrNotPending: the reply answers no open ask. It is late or a duplicate; drop it.
	ErrNotPending = errors.New("no such ask is open")
	// ErrBadReply: the reply breaks its contract. Ask again, or answer with a fault.
	ErrBadReply = errors.New("unusable reply")
	// ErrBadRuling: the ruling does not apply to the session as it stands.
	ErrBadRuling = errors.New("ruling does not apply")
	// ErrBadEvent: the event is not what the rules yield here: another log, another version, or tampering.
	ErrBadEvent = errors.New("event does not follow from the log")
	// ErrBadCharter: the charter or topic cannot open a session; see [CharterError].
	ErrBadCharter = errors.New("invalid charter")
)

// CharterError says what is wrong in a charter and where.
type CharterError struct {
	Pointer string // JSON pointer into council.config.json, such as "/phases/1/transitions/0/to"
	Problem string
}

func (e *CharterError) Error() string { return fmt.Sprintf("%s: %s", e.Pointer, e.Problem) }

// Is makes every CharterError an [ErrBadCharter].
func (e *CharterError) Is(target error) bool { return target == ErrBadCharter }

func badReply(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadReply, fmt.Sprintf(format, args...))
}

func badEvent(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadEvent, fmt.Sprintf(format, args...))
}

func badRuling(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadRuling, fmt.Sprintf(format, args...))
}
