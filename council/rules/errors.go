package rules

import (
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
)

// Sentinels of a session. All are wrapped with what was wrong.
var (
	// ErrNotPending: the reply answers no open ask. It is late or a duplicate; drop it.
	ErrNotPending = errors.New("no such ask is open")
	// ErrBadRuling: the ruling does not apply to the session as it stands.
	ErrBadRuling = errors.New("ruling does not apply")
	// ErrBadEvent: the event is not what the rules yield here: another log, another version, or tampering.
	ErrBadEvent = errors.New("event does not follow from the log")
)

func badReply(format string, args ...any) error {
	return fmt.Errorf("%w: %s", council.ErrBadReply, fmt.Sprintf(format, args...))
}

func badEvent(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadEvent, fmt.Sprintf(format, args...))
}

func badRuling(format string, args ...any) error {
	return unfitRuling(fmt.Sprintf(format, args...))
}

// unfitRuling is an [ErrBadRuling] in words that say why.
type unfitRuling string

func (u unfitRuling) Error() string        { return string(u) }
func (u unfitRuling) Is(target error) bool { return target == ErrBadRuling }
