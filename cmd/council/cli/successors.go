package cli

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/listing"
)

// WarnSuccessors prints the successors of a session on standard error.
func WarnSuccessors(a *Env, root *recorder.Root, id council.SessionID) {
	for _, line := range listing.SuccessorLines(a.World, root, id) {
		a.Warn("%s", line)
	}
}
