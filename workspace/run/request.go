// Package run holds sessions: it plans and opens them, goes on with them, drives them until they are closed or
// suspended, and finishes what follows from their end. A [Face] shows a session to whoever holds it.
package run

import (
	"context"
	"io"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Request asks for a session.
type Request struct {
	seat.Choice                  // of the council
	Charter     *council.Charter // of the council; nil: the one that is chosen
	Topic       string           // checked by [site.CheckTopic]
	Context     seat.Context     // documents of the members
	Stdin       io.Reader        // of a document that is called "-"
	Options     []string         // between which members choose; nil: those of the charter
	Output      string           // none or documentation; "": as the charter says
	Caps        site.Caps
	Within      bool // a budget of several sessions together bounds its tokens or cost
	NoRecall    bool // members are told nothing that a search of memory finds
	NoMemory    bool // members are told nothing of memory
	Convener    bool // members may ask the person who convenes
	Rehearse    bool // the rehearsal may speak where no model is at hand
	DryRun      bool // nothing is asked and written
	Me          string
	Confirm     Confirm           // about seats across vendors, and a dear session; nil: nobody can be asked
	Because     string            // names the setting that chose the model; "": none did
	ID          council.SessionID // of the session; "": a new one
	Given       *council.Topic    // has the documents of the members, which were read elsewhere; nil: they are read here
	Reopens     *Reopening        // the closed session that is taken up again; nil: none

	Begins  func(council.SessionID) error // called before anything of the session is written; may be nil
	Remarks func(council.Topic) []string  // returns warnings about documents that members are not given; may be nil
	Hold
}

// models returns which models the members get.
func (r *Request) models() seat.ModelChoice {
	c := seat.ModelChoice{Models: r.Models, Because: r.Because, Rehearse: r.Rehearse, Confirm: r.Confirm}
	if r.DryRun {
		c.Confirm = nil
	}
	return c
}

// Confirm asks the person a question of yes or no.
type Confirm func(ctx context.Context, question string) (bool, error)

// Hold says how a session is held.
type Hold struct {
	Trust      seat.TrustGate
	Approve    bool     // the brief is approved in advance
	Unattended bool     // nobody watches: what was stopped goes on by itself later
	Quiet      bool     // what would only cost is no warning
	Share      *Batched // connects the session with the others of a batch; nil: it is held alone
}
