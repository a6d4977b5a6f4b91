package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
)

// Run drives the session until it is closed or suspended. A suspended session is resumed first.
//
// The goroutine that calls Run is the only one that touches the session, the log and the observer. Each ask in flight
// has a goroutine of its own that calls the member with a finished view and hands the reply back. Asks that are open
// together are put together; their replies are held as they arrive and recorded in seat order, so the log does not
// depend on who was faster. An ask that the rules no longer need is cancelled and its reply dropped. Run waits for
// every goroutine it started before it returns.
//
// A fault that a later try may cure is recorded, and suspends the session, once every other ask in flight has come
// back: those replies are paid for. Earlier seats' replies are recorded before it; later ones stay with their members
// and are asked for again when the session is resumed. One that breaks its contract is the fault unparsable.
//
// Ballots that are still out and could change nothing (see [rules.Session.Settled]) are awaited for half the median
// wait of the replies that came in, after the last of these: for two seconds at least, and longer where replies come
// one after another. Then those are recorded, the others with the fault not-awaited, and their calls are cancelled.
//
// Questions that are not admitted (see [Options]) are not put, and the session is suspended with the fault. After an
// interrupt no new ask is put; replies in flight are waited for and recorded, and the session is suspended with the
// fault cancelled. When ctx ends every ask is cancelled, nothing more is recorded, and Run returns
// ctx's error. Any other error stops the run in the same way: a log or a member's tape that cannot be kept, an event
// that the session refuses, a seat without a member, a member that panics.
func Run(ctx context.Context, s *rules.Session, members map[council.MemberID]Member, log Log,
	o Options) (Result, error) {
	for _, id := range s.Charter().Seats() {
		if members[id] == nil && !s.Excluded(id) {
			return Result{}, fmt.Errorf("the seat of %s is empty: give the run a member for every seat", id)
		}
	}
	f := &floor{members: members, last: map[council.MemberID]<-chan struct{}{}, arrivals: make(chan *flight)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	d := &driver{Options: o, session: s, log: log, floor: f, began: council.Seq(len(s.Events()))}
	if d.Observe == nil {
		d.Observe = func(Progress) {}
	}
	if d.Admit == nil {
		d.Admit = func([]council.View) *council.Fault { return nil }
	}
	if d.Notes == nil {
		d.Notes = func() ([]council.NoteGiven, error) { return nil, nil }
	}
	if d.Hold == nil {
		d.Hold = func() <-chan struct{} { return nil }
	}
	defer d.floor.clear()
	if s.Suspended() != nil { // by an earlier run
		if err := d.rule(ctx, council.SessionResumed{By: d.By}); err != nil {
			return Result{}, err
		}
	}
	return d.drive(ctx)
}

type driver struct {
	Options  // none of the functions is nil, and Interrupt is once it was received
	session  *rules.Session
	log      Log
	floor    *floor
	held     <-chan struct{}  // as Hold last returned it
	began    council.Seq      // the last event that was there before the run
	stopping bool             // an interrupt was received
	grace    <-chan time.Time // ends the wait for ballots that could change nothing; nil before a reply came in
	settled  bool             // it has ended, and the ballots that are out could change nothing
}

// drive goes on until the session is closed or suspended.
func (d *driver) drive(ctx context.Context) (Result, error) {
	for {
		if fault := d.session.Suspended(); fault != nil {
			return Result{Suspended: fault}, nil
		}
		ready := d.session.Ready()
		d.floor.withdraw(ready.Asks, d.Observe)
		var err error
		switch {
		case ready.Outcome != nil:
			return Result{Outcome: ready.Outcome}, nil
		case ready.Event != nil:
			err = d.record(ctx, *ready.Event)
		default:
			err = d.answer(ctx, ready.Asks)
		}
		if err != nil {
			return Result{}, err
		}
	}
}

// rule records a ruling.
func (d *driver) rule(ctx context.Context, r council.Ruling) error {
	e, err := d.session.Rule(r)
	if err != nil {
		return err
	}
	return d.record(ctx, e)
}

// record makes an event durable, and only then part of the session. Nothing is recorded once ctx has ended.
func (d *driver) record(ctx context.Context, e council.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.log.Append(e); err != nil {
		return fmt.Errorf("recording event %d (%s): %w", e.Seq, e.Type(), err)
	}
	if err := d.session.Apply(e); err != nil {
		return fmt.Errorf("applying event %d (%s): %w", e.Seq, e.Type(), err)
	}
	d.Observe(Recorded{e})
	return nil
}

// note records the notes that are given, and reports whether there were some. Questions that this run opened and has
// not put to anybody yet are put with them.
func (d *driver) note(ctx context.Context, open []council.Ask) (noted bool, err error) {
	notes, err := d.Notes()
	if err != nil {
		return false, fmt.Errorf("reading the notes for members: %w", err)
	}
	for _, n := range notes {
		n.Ahead = len(open) > 0 && open[0].AsOf > d.began
		if err := d.rule(ctx, n); err != nil {
			return false, err
		}
	}
	return len(notes) > 0, nil
}

// answer puts the open asks that are not in flight, and records the event that the first open ask yields, notes, or
// a stop. Else it waits for something to happen.
func (d *driver) answer(ctx context.Context, open []council.Ask) error {
	if len(open) == 0 {
		return errors.New("the session is not closed and wants nothing: its rules are broken")
	}
	if d.floor.empty() {
		if noted, err := d.note(ctx, open); noted || err != nil {
			return err
		}
		d.grace, d.settled = nil, d.session.Settled(nil) // it is where a run was cut off while it recorded this
	}
	select { // without waiting
	case <-d.Interrupt:
		d.stop()
	default:
	}
	d.held = d.Hold()
	switch {
	case !d.stopping && d.held == nil:
		if fault := d.put(open); fault != nil {
			return d.rule(ctx, council.SessionSuspended{Fault: *fault})
		}
	case d.stopping && !slices.ContainsFunc(open, d.floor.has):
		return d.rule(ctx, council.SessionSuspended{
			Fault: council.Fault{Kind: council.FaultCancelled, Message: "interrupted"}})
	}
	if reply := d.next(open); reply != nil {
		return d.decide(ctx, reply)
	}
	return d.wait(ctx)
}

// next returns the reply to record: that of the first open ask, or, once the result is settled, the first in hand, and
// after the last that an ask is not awaited. It returns nil while it has to wait.
func (d *driver) next(open []council.Ask) *council.Reply {
	for i, a := range open {
		fl := d.floor.find(a)
		if fl != nil && fl.in && (d.settled || i == 0 && !(curable(&fl.reply) && d.floor.waitsForAny(open))) {
			return &fl.reply
		}
	}
	if !d.settled {
		return nil
	}
	return &council.Reply{Ask: open[0].ID, Fault: &council.Fault{Kind: council.FaultNotAwaited}}
}

// put puts those of the open asks that are not in flight, if they are admitted.
func (d *driver) put(open []council.Ask) *council.Fault {
	var views []council.View
	for _, a := range open {
		if !d.floor.has(a) {
			views = append(views, d.session.View(a))
		}
	}
	if len(views) == 0 {
		return nil
	}
	if fault := d.Admit(views); fault != nil {
		return fault
	}
	for _, v := range views {
		d.floor.put(v.Ask, v)
		d.Observe(Asked{v.Ask, v.Blind()})
	}
	return nil
}

func curable(r *council.Reply) bool { return r.Body == nil && r.Fault != nil && r.Fault.Kind.Curable() }

func (d *driver) stop() { d.stopping, d.Interrupt = true, nil }

// wait returns when a reply has come in or the grace has ended, an interrupt was received, or questions may be put
// again. Its error is ctx's, or that of a member's record.
func (d *driver) wait(ctx context.Context) error {
	select {
	case fl := <-d.floor.arrivals:
		wanted := d.floor.take(fl)
		if fl.err != nil {
			return fmt.Errorf("putting %s: %w", fl.ask.ID, fl.err)
		}
		if wanted {
			d.Observe(Replied{fl.ask, fl.reply})
			d.grace = time.After(d.floor.batch.grace())
		}
	case <-d.grace:
		d.grace, d.settled = nil, d.session.Settled(d.floor.replies())
	case <-d.Interrupt:
		d.stop()
	case <-d.held:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// Rule records a ruling, on the log before the session knows of it. One that does not apply is recorded nowhere.
func Rule(s *rules.Session, log Log, r council.Ruling) error {
	e, err := s.Rule(r)
	if err != nil {
		return err
	}
	if err := log.Append(e); err != nil {
		return err
	}
	return s.Apply(e)
}

const maxProblem = 500 // bounds the words of an unusable reply in a fault, in bytes: they are the member's

// decide records the event of the reply to an open ask. A reply that breaks its contract becomes a fault: the
// member's own tries at repair are over by now. Late replies never come here, so [rules.ErrNotPending] is an error
// like any other: to drop the reply would be to ask, and pay, again and again.
func (d *driver) decide(ctx context.Context, r *council.Reply) error {
	e, err := d.session.Answer(*r)
	if errors.Is(err, council.ErrBadReply) && (r.Fault == nil || !r.Fault.Kind.Unheard()) {
		words, more := council.Bound(err.Error(), maxProblem)
		if more {
			words += "…"
		}
		fault := council.Fault{Kind: council.FaultUnparsable, Message: words}
		e, err = d.session.Answer(r.Failed(fault))
	}
	if err != nil {
		return fmt.Errorf("deciding the reply to %s: %w", r.Ask, err)
	}
	return d.record(ctx, e)
}
