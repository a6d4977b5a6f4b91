// Package approving is where people rule on the execution brief of a closed session, and where the tool that carries it
// out reports back.
package approving

import (
	"context"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// Desk is where rulings on briefs are given.
type Desk struct {
	desk.Desk

	// Keyboard: somebody sits at a terminal and can be asked.
	Keyboard bool
	// Look rebuilds a session from its log and changes nothing.
	Look func(root *recorder.Root, id council.SessionID) (*rules.Session, error)
	// Reopen takes a session's folder for writing and rebuilds the session from its log.
	Reopen func(root *recorder.Root, id council.SessionID) (*recorder.Session, *rules.Session, error)
	// Remember finishes what follows from a ruling: derived files and memory.
	Remember func(ctx context.Context, root *recorder.Root, folder *recorder.Session, s *rules.Session) error
}
