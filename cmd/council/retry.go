package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/site"
)

func newRetry(a *cli.Env) *cobra.Command {
	run := plansVerb(a, "retry run", func(c *cli.Command, p *plans) error {
		return keepSchedule(a, c.Ctx, p, func(k *keeper) error {
			for tried := 0; ; tried++ {
				e, ok := k.queue.Next(a.Now(), k.busy)
				if !ok || k.running.Err() != nil {
					a.Say("%s.", plural.Things(tried, "session was tried again", "sessions were tried again"))
					return nil
				}
				if err := k.retry(c.Ctx, e); err != nil {
					return err
				}
			}
		})
	})
	return cli.NewGroup("retry",
		plansVerb(a, "retry list", listRetries), run,
		newRetryRule(a, "retry release", audit.RetryReleased, "Session %s is due now."),
		newRetryRule(a, "retry drop", audit.RetryDropped, "Session %s is not tried again by itself."))
}

func listRetries(c *cli.Command, p *plans) error {
	l := cli.NewList(c.Env, c.Json, "SESSION", "STATE", "DUE", "TRIES", "WHY")
	for _, w := range p.queue.List() {
		var why []string
		for _, cause := range w.Causes {
			why = append(why, cause.Why)
		}
		state, due := "waiting", cli.Clock(w.Due.Local())
		switch {
		case p.busy(w.Session):
			state, due = "running", "-"
		case w.Parked:
			state, due = "parked", "-"
		case w.DueAt(c.Now()):
			state = "due"
		}
		l.Add(w, w.Session, state, due, fmt.Sprintf("%d of %d", w.Tries, audit.RetryTries), strings.Join(why, ", "))
	}
	return l.Print("No session waits for another try.")
}

// newRetryRule returns a command that records what a person wants of a session in the queue, which may be named by the
// beginning of its id.
func newRetryRule(a *cli.Env, path, action, words string) *cobra.Command {
	return plansVerb(a, path, func(c *cli.Command, p *plans) error {
		var found []council.SessionID
		for id := range p.queue {
			if strings.HasPrefix(string(id), c.Args[0]) {
				found = append(found, id)
			}
		}
		if len(found) != 1 {
			return site.Refuse(fmt.Sprintf("%s of the queue begin with %s", plural.Things(len(found), "session"),
				site.Quote(c.Args[0])), "council retry list has them.")
		}
		e := audit.Entry{Type: audit.TypeRetry, Action: action, Session: found[0], By: a.By()}
		if action == audit.RetryReleased {
			e.Due = a.Now()
		}
		err := p.note(e)
		if err == nil {
			a.Say(words, found[0])
		}
		return err
	})
}

// plans is what a record's ledger says of retries and routines, as far as it was read.
type plans struct {
	root     *recorder.Root
	ledger   *ledger.Ledger
	since    time.Time
	seen     int64 // the number of the last entry that was read
	queue    audit.Queue
	routines audit.Routines
}

// plans returns what a record's ledger says since a time; zero: from the beginning.
func openPlans(a *cli.Env, root *recorder.Root, since time.Time) (*plans, error) {
	l, err := a.OpenLedger(root)
	if err != nil {
		return nil, err
	}
	p := &plans{root: root, ledger: l, since: since, queue: audit.Queue{}, routines: audit.Routines{}}
	return p, p.take(ledger.Since(root.Files(), since))
}

// withPlans does something with what a record's ledger says, at least since a time. The sessions of a process do so one
// after the other, and each reads only what is new: a thousand that are suspended at once would read all of it.
func withPlans(a *cli.Env, root *recorder.Root, since time.Time, do func(*plans) error) (err error) {
	l := a.Kept(plansKey{}, &openedPlans{of: map[string]*plans{}}).(*openedPlans)
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.of[root.Path()]
	if p == nil || since.Before(p.since) {
		p, err = openPlans(a, root, since)
	} else {
		p.root = root // that of the session before may be closed
		err = p.read()
	}
	if err != nil {
		delete(l.of, root.Path())
		return err
	}
	l.of[root.Path()] = p
	return do(p)
}

// plansKey keeps [openedPlans] in a world.
type plansKey struct{}

// openedPlans are those that a process has read, by the paths of their workspaces.
type openedPlans struct {
	mu sync.Mutex
	of map[string]*plans
}

// plansVerb is verb for what is planned in a record.
func plansVerb(a *cli.Env, path string, do func(*cli.Command, *plans) error) *cobra.Command {
	return cli.Verb(a, path, func(c *cli.Command) error {
		p, err := openPlans(a, c.Root, time.Time{})
		if err != nil {
			return err
		}
		return do(c, p)
	})
}

// read takes in what was appended since the last time, by any process.
func (p *plans) read() error { return p.take(ledger.Read(p.root.Files(), p.seen+1)) }

func (p *plans) take(entries iter.Seq2[audit.Entry, error]) error {
	for e, err := range entries {
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
	e.Due = e.Due.UTC()
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
	env    *cli.Env
	root   *recorder.Root
	id     council.SessionID
	began  time.Time
	goesOn bool            // whoever stops the session wants it to go on later without a person
	faults []council.Fault // of questions that were put at once, and may pass
	waits  *audit.Waiting  // nil: the session does not wait for another try
}

// hear notes the faults that members come back with: the log holds only one of those that come together.
func (o *outage) hear(p engine.Progress) {
	if r, ok := p.(engine.Replied); ok && r.Reply.Fault != nil && r.Reply.Fault.Kind.Passing() {
		o.faults = append(o.faults, *r.Reply.Fault)
	}
}

// suspended records the entries for a suspension that is about to be recorded as the event of this number. It reads the
// ledger from a little before the session on: it waited for its first try before anything of it was written.
func (o *outage) suspended(f council.Fault, seq council.Seq) error {
	return withPlans(o.env, o.root, o.began.Add(-time.Hour), func(p *plans) error { return o.enter(p, f, seq) })
}

// enter records the entries for a suspension.
func (o *outage) enter(p *plans, f council.Fault, seq council.Seq) error {
	if !f.Kind.Passing() && !(o.goesOn && f.Kind == council.FaultCancelled) {
		if p.queue[o.id] == nil {
			return nil
		}
		return p.note(audit.Entry{Type: audit.TypeRetry, Action: audit.RetryDropped, Session: o.id, Why: string(f.Kind)})
	}
	causes := append([]council.Fault{f}, o.faults...)
	for i, cause := range causes {
		if slices.ContainsFunc(causes[:i], func(told council.Fault) bool { return told.Kind == cause.Kind }) {
			continue
		}
		if err := p.note(p.queue.Suspended(o.id, cause, int(seq), o.env.Now())); err != nil {
			return err
		}
	}
	o.waits = p.queue[o.id]
	return nil
}

// words says when a suspended session is tried again; "" when it is not.
func (o *outage) words() string {
	switch {
	case o.waits == nil:
		return ""
	case o.waits.Parked:
		return fmt.Sprintf("It was tried %s in vain. To have it tried again: %s", plural.Things(audit.RetryTries, "time"),
			site.CommandLine(o.root, "council retry release "+o.root.Short(o.id)))
	}
	return fmt.Sprintf("Or leave it to council daemon, or to council retry run: it is due at %s.",
		cli.Clock(o.waits.Due.Local()))
}
