package cli

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
)

// The exit codes.
const (
	ExitOK         = 0 // decided, and approved where a document was asked for; or rehearsed as asked
	ExitError      = 1
	ExitUsage      = 2
	ExitNotDecided = 3 // not decided, or the document was not approved
	ExitSuspended  = 4 // resumable, or another process has the session, or memory
	ExitFindings   = 3 // fsck found something that is not damage
	ExitDamaged    = 5
)

// ExitCode is an error that was printed already.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// OutcomeCode returns the exit code for the outcome of a session: nil if it decided and approved any document it was to
// write, or if it was a rehearsal that completed.
func OutcomeCode(o council.Outcome) error {
	if o.Rehearsed && o.Ended == council.SessionCompleted {
		return nil
	}
	if !o.Decided || o.Documentation == council.DocumentationUnapproved ||
		o.Documentation == council.DocumentationMissing {
		return ExitCode(ExitNotDecided)
	}
	return nil
}

// ResultCode returns the exit code for the result of a run.
func ResultCode(r engine.Result) error {
	if r.Outcome == nil {
		return ExitCode(ExitSuspended)
	}
	return OutcomeCode(*r.Outcome)
}
