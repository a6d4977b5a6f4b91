package conversation

import (
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
)

// Sentinels of a conversation.
var (
	// ErrDiverged: a question on the tape is not the one that would be asked now; see [DivergedError]. The charter,
	// the prompts or the rules have changed. Go on with the version that began the session.
	ErrDiverged = errors.New("the conversation has diverged")
	// ErrClosed: the conversation was closed with its session. A mistake in the program.
	ErrClosed = errors.New("the conversation was closed")
)

// DivergedError says which question differs from the one on the tape.
type DivergedError struct {
	Member   council.MemberID
	Ask      council.AskID
	Try      int
	Part     string // what differs, in plain words
	Recorded string // the digest of the prompt on the tape
	Now      string // the digest of the prompt that would be sent now
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("the conversation of %s has diverged at %s, try %d: %s. The prompt on record has the digest %.12s, and now it would have %.12s",
		e.Member, e.Ask, e.Try, e.Part, e.Recorded, e.Now)
}

// Is makes every DivergedError an [ErrDiverged].
func (e *DivergedError) Is(target error) bool { return target == ErrDiverged }
