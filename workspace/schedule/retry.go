// Package schedule keeps the plans of a record: sessions that are tried again, and routines.
package schedule

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/site"
)

// Plans is what a record's ledger says of retries and routines, as far as it was read.
type Plans struct {
	Root     *recorder.Root
	ledger   *ledger.Ledger
	since    time.Time
	seen     int64 // the number of the last entry that was read
	Queue    audit.Queue
	Routines audit.Routines
}

// plans returns what a record's ledger says since a time; zero: from the beginning.
func Open(world *site.World, root *recorder.Root, since time.Time) (*Plans, error) {
	l, err := world.OpenLedger(root)
	if err != nil {
		return nil, err
	}
	p := &Plans{Root: root, ledger: l, since: since, Queue: audit.Queue{}, Routines: audit.Routines{}}
	return p, p.take(ledger.Since(root.Files(), since))
}

// WithPlans does something with what a record's ledger says, at least since a time. The sessions of a process do so one
// after the other, and each reads only what is new: a thousand that are suspended at once would read all of it.
func WithPlans(world *site.World, root *recorder.Root, since time.Time, do func(*Plans) error) (err error) {
	l := world.Kept(plansKey{}, &openedPlans{of: map[string]*Plans{}}).(*openedPlans)
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.of[root.Path()]
	if p == nil || since.Before(p.since) {
		p, err = Open(world, root, since)
	} else {
		p.Root = root // that of the session before may be closed
		err = p.Read()
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
	of map[string]*Plans
}

// Read takes in what was appended since the last time, by any process.
func (p *Plans) Read() error { return p.take(ledger.Read(p.Root.Files(), p.seen+1)) }

func (p *Plans) take(entries iter.Seq2[audit.Entry, error]) error {
	for e, err := range entries {
		if err != nil {
			return err
		}
		p.Queue.Apply(e)
		p.Routines.Apply(e)
		p.seen = e.Seq
	}
	return nil
}

// Note records an entry and takes it in.
func (p *Plans) Note(e audit.Entry) error {
	e.Due = e.Due.UTC()
	if _, err := p.ledger.Append(e); err != nil {
		return err
	}
	return p.Read()
}

// Busy reports whether a process has a session.
func (p *Plans) Busy(id council.SessionID) bool {
	_, held := p.Root.Locks().Holder(id)
	return held
}

// RuleRetry records that a person releases or drops a session of the queue, named by the beginning of its id.
func (p *Plans) RuleRetry(world *site.World, name, action string) (council.SessionID, error) {
	if err := site.KnownWord("action", action, []string{audit.RetryReleased, audit.RetryDropped}); err != nil {
		return "", err
	}
	var found []council.SessionID
	for id := range p.Queue {
		if strings.HasPrefix(string(id), name) {
			found = append(found, id)
		}
	}
	if len(found) != 1 {
		return "", &site.Error{Code: site.NotFound, Problem: fmt.Sprintf("%s of the queue begin with %s",
			plural.Things(len(found), "session"), site.Quote(name)), Hint: "council schedule queue has them."}
	}
	e := audit.Entry{Type: audit.TypeRetry, Action: action, Session: found[0], By: world.User().Name()}
	if action == audit.RetryReleased {
		e.Due = world.Now()
	}
	return found[0], p.Note(e)
}

// Outage enters a session into the queue of retries before its suspension is recorded, or takes it out.
type Outage struct {
	World  *site.World
	Root   *recorder.Root
	ID     council.SessionID
	Began  time.Time
	GoesOn bool                 // whoever stops the session wants it to go on later without a person
	faults []council.Fault      // of questions that were put at once, and may pass
	waits  *audit.QueuedSession // nil: the session does not wait for another try
}

// Hear notes the faults that members come back with: the log holds only one of those that come together.
func (o *Outage) Hear(p engine.Progress) {
	if r, ok := p.(engine.Replied); ok && r.Reply.Fault != nil && r.Reply.Fault.Kind.Passing() {
		o.faults = append(o.faults, *r.Reply.Fault)
	}
}

// Suspended records the entries for a suspension that is about to be recorded as the event of this number. It reads the
// ledger from a little before the session on: it waited for its first try before anything of it was written.
func (o *Outage) Suspended(f council.Fault, seq council.Seq) error {
	return WithPlans(o.World, o.Root, o.Began.Add(-time.Hour), func(p *Plans) error {
		if !f.Kind.Passing() && !(o.GoesOn && f.Kind == council.FaultCancelled) {
			if p.Queue[o.ID] == nil {
				return nil
			}
			return p.Note(audit.Entry{Type: audit.TypeRetry, Action: audit.RetryDropped, Session: o.ID, Why: string(f.Kind)})
		}
		causes := append([]council.Fault{f}, o.faults...)
		for i, cause := range causes {
			if slices.ContainsFunc(causes[:i], func(told council.Fault) bool { return told.Kind == cause.Kind }) {
				continue
			}
			if err := p.Note(p.Queue.RetryEntry(o.ID, cause, int(seq), o.World.Now())); err != nil {
				return err
			}
		}
		o.waits = p.Queue[o.ID]
		return nil
	})
}

// Words says when a suspended session is tried again; "" when it is not.
func (o *Outage) Words() string {
	switch {
	case o.waits == nil:
		return ""
	case o.waits.Parked:
		return fmt.Sprintf("It was tried %s in vain. To have it tried again: %s", plural.Things(audit.RetryTries, "time"),
			site.CommandLine(o.Root, "council schedule release "+o.Root.Short(o.ID)))
	}
	return fmt.Sprintf("Or leave it to council schedule daemon, or to council schedule retry: it is due at %s.",
		site.Clock(o.waits.Due.Local()))
}

// keeperLock is the file of which a process holds the lock while it carries out what is due.
const keeperLock = "daemon.pid"

// errKept: another process carries out what is due in the workspace.
var ErrKept = errors.New("a process looks after this workspace already")

// TakeLock takes the lock of the one process that keeps a workspace. [errKept]: another has it.
func TakeLock(root *recorder.Root) (*atomicfile.Lock, error) {
	lock, err := atomicfile.TakeLock(root.Files(), keeperLock)
	if held, ok := errors.AsType[*atomicfile.LockedError](err); ok {
		since := ""
		if info, err := os.Stat(filepath.Join(root.Path(), keeperLock)); err == nil {
			since = ", since " + site.Clock(info.ModTime())
		}
		err = fmt.Errorf("%w: %s%s", ErrKept, held.Holder, since)
	}
	return lock, err
}
