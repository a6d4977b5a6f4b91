package main

import (
	"fmt"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// plans is what a record's ledger says of retries and routines, as far as it was read.
type plans struct {
	root     *recorder.Root
	ledger   *ledger.Ledger
	seen     int64 // the number of the last entry that was read
	queue    audit.Queue
	routines audit.Routines
}

func (a *app) plans(root *recorder.Root) (*plans, error) {
	l, err := a.ledger(root)
	if err != nil {
		return nil, err
	}
	p := &plans{root: root, ledger: l, queue: audit.Queue{}, routines: audit.Routines{}}
	return p, p.read()
}

// inPlans calls do with the plans of an existing record.
func (a *app) inPlans(folder string, do func(*plans) error) error {
	return a.InRecord(folder, func(root *recorder.Root) error {
		p, err := a.plans(root)
		if err != nil {
			return err
		}
		return do(p)
	})
}

// read takes in what was appended since the last time, by any process.
func (p *plans) read() error {
	for e, err := range ledger.Read(p.root.Files(), p.seen+1) {
		if err != nil {
			return err
		}
		p.queue.Apply(e)
		p.routines.Apply(e)
		p.seen = e.Seq
	}
	return nil
}

// note records an entry and takes it in.
func (p *plans) note(e audit.Entry) error {
	if _, err := p.ledger.Append(e); err != nil {
		return err
	}
	return p.read()
}

// busy reports whether a process has a session.
func (p *plans) busy(id council.SessionID) bool {
	_, held := p.root.Holder(id)
	return held
}

// outage enters a session into the queue of retries before its suspension is recorded, or takes it out.
type outage struct {
	app    *app
	root   *recorder.Root
	id     council.SessionID
	goesOn bool            // whoever stops the session wants it to go on later without a person
	faults []council.Fault // of questions that were put at once, and may pass
	due    time.Time       // zero: the session does not wait for another try
	parked bool
}

// hear notes the faults that members come back with: the log holds only one of those that come together.
func (o *outage) hear(p engine.Progress) {
	if r, ok := p.(engine.Replied); ok && r.Reply.Fault != nil && r.Reply.Fault.Kind.Passing() {
		o.faults = append(o.faults, *r.Reply.Fault)
	}
}

// suspended records the entries for a suspension that is about to be recorded as the event of this number.
func (o *outage) suspended(f council.Fault, seq council.Seq) error {
	p, err := o.app.plans(o.root)
	if err != nil {
		return err
	}
	waits := f.Kind.Passing() || o.goesOn && f.Kind == council.FaultCancelled
	if !waits {
		if p.queue[o.id] == nil {
			return nil
		}
		return p.note(audit.Entry{Type: audit.TypeRetry, Action: audit.RetryDropped, Session: o.id, Why: string(f.Kind)})
	}
	told := map[council.FaultKind]bool{f.Kind: true}
	causes := []council.Fault{f}
	for _, other := range o.faults {
		if !told[other.Kind] {
			told[other.Kind] = true
			causes = append(causes, other)
		}
	}
	for _, cause := range causes {
		if err := p.note(p.queue.Suspended(o.id, cause, int(seq), o.app.Now())); err != nil {
			return err
		}
	}
	w := p.queue[o.id]
	o.due, o.parked = w.Due, w.Parked
	return nil
}

// words says when a suspended session is tried again; "" when it is not.
func (o *outage) words(root *recorder.Root) string {
	switch {
	case o.parked:
		return fmt.Sprintf("It was tried %s in vain. To have it tried again: %s", plural.Things(audit.RetryTries, "time"),
			cli.CommandLine(root, "council retry release "+string(o.id)))
	case !o.due.IsZero():
		return fmt.Sprintf("Or leave it to council daemon, or to council retry run: it is due at %s.", clock(o.due))
	}
	return ""
}

// clock writes a time for people, as the clock on their wall shows it.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
