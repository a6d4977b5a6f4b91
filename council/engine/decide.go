package engine

import (
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
)

// maxProblem bounds, in bytes, what a fault repeats of an unusable reply: the words are the member's.
const maxProblem = 500

// decide turns the reply to an open ask into its event. A reply that breaks its contract becomes a fault: the
// member's own tries at repair are over by now. Late replies never come here, so [rules.ErrNotPending] is an error
// like any other: to drop the reply would be to ask, and pay, again and again.
func (d *driver) decide(r council.Reply) (*council.Event, error) {
	e, err := d.session.Answer(r)
	if errors.Is(err, council.ErrBadReply) {
		words, more := council.Bound(err.Error(), maxProblem)
		if more {
			words += "…"
		}
		fault := council.Fault{Kind: council.FaultUnparsable, Message: words}
		e, err = d.session.Answer(r.Failed(fault))
	}
	if err != nil {
		return nil, fmt.Errorf("deciding the reply to %s: %w", r.Ask, err)
	}
	return &e, nil
}

// suspend returns the event of a stop that no reply is the cause of.
func (d *driver) suspend(f council.Fault) (*council.Event, error) {
	e, err := d.session.Rule(council.SessionSuspended{Fault: f})
	if err != nil {
		return nil, fmt.Errorf("suspending the session: %w", err)
	}
	return &e, nil
}
