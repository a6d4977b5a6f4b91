package council

import (
	"errors"
	"fmt"
	"strings"
)

// ErrBadReply: a reply breaks its contract. Ask again, or answer with a fault. It is wrapped with what was wrong.
var ErrBadReply = errors.New("unusable reply")

// ErrBadCharter: the charter or the topic cannot open a session. A [CharterError] has the reason.
var ErrBadCharter = errors.New("invalid charter")

// CharterError is a problem in a charter, with its place.
type CharterError struct {
	Pointer string // JSON pointer into council.config.json, such as "/phases/1/transitions/0/to"
	Problem string
}

func (e *CharterError) Error() string { return fmt.Sprintf("%s: %s", e.Pointer, e.Problem) }

// Is makes every CharterError an [ErrBadCharter].
func (e *CharterError) Is(target error) bool { return target == ErrBadCharter }

// PointerPart makes a name a part of a JSON pointer.
func PointerPart(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
