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
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/listing"
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

// Open returns what a record's ledger says since a time; zero: from the beginning.
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
	_, held := p.Root.Holder(id)
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

// ErrKept: another process carries out what is due in the workspace.
var ErrKept = errors.New("a process looks after this workspace already")

// TakeLock takes the lock of the one process that keeps a workspace. [ErrKept]: another has it.
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

const (
	routinesFolder = "routines"
	routineSuffix  = ".toml" // ends the name of a routine's file
)

// Add writes the file of a routine that is to be convened, and returns when it is due for the first time.
func (p *Plans) Add(world *site.World, name string, r routine.Routine) (due time.Time, err error) {
	known, err := p.RoutineFiles()
	if err != nil {
		return due, err
	}
	if slices.ContainsFunc(known, func(f Routine) bool { return f.Name == name }) {
		return due, site.Refuse("there is a routine "+name+" already",
			"Edit its file, or remove it first: council schedule rm "+name)
	}
	doc, err := r.File()
	if err != nil {
		return due, err
	}
	due, err = r.Next(world.Now())
	if err == nil {
		err = p.Note(audit.Entry{Type: audit.TypeRoutine, Action: audit.RoutineAdded, What: name, By: world.User().Name(),
			Digest: council.Digest(string(doc))})
	}
	if err == nil {
		err = atomicfile.WithinMade(p.Root.Files(), routinesFolder, func(files atomicfile.Files) error {
			return atomicfile.Write(files, name+routineSuffix, doc)
		})
	}
	return due, err
}

// Routine is a routine as it stands on disk.
type Routine struct {
	routine.Routine
	Name, Digest string
	Err          error // why it cannot be used
}

// RoutinePath returns the path of a routine's file, for people.
func (p *Plans) RoutinePath(name string) string {
	return filepath.ToSlash(filepath.Join(p.Root.Path(), routinesFolder, name+routineSuffix))
}

// RoutineFiles reads the routines, by name.
func (p *Plans) RoutineFiles() (all []Routine, err error) {
	err = atomicfile.WithinAny(p.Root.Files(), routinesFolder, func(files atomicfile.Files) error {
		entries, err := files.List()
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), routineSuffix)
			if !ok || atomicfile.Temporary(e.Name()) {
				continue
			}
			f := Routine{Name: name}
			doc, err := atomicfile.Read(files, e.Name())
			if f.Err = errors.Join(err, routine.CheckName(name)); f.Err == nil {
				f.Digest = council.Digest(string(doc))
				f.Routine, f.Err = routine.Read(doc)
			}
			all = append(all, f)
		}
		return err
	})
	return all, err
}

// Routine reads the routine of a name. One that is not there is a [site.NotFound] error.
func (p *Plans) Routine(name string) (Routine, error) {
	files, err := p.RoutineFiles()
	if err != nil {
		return Routine{}, err
	}
	if f := council.Find(files, func(f Routine) bool { return f.Name == name }); f != nil {
		return *f, nil
	}
	names := council.Map(files, func(f Routine) string { return f.Name })
	return Routine{}, &site.Error{Code: site.NotFound, Problem: "there is no routine " + site.Quote(name),
		Hint: site.DidYouMean(name, names, "council schedule list has them.")}
}

// RuleRoutine records that a person pauses, resumes or removes a routine: an action of package audit.
func (p *Plans) RuleRoutine(world *site.World, name, action string) error {
	_, err := p.Routine(name)
	if err == nil {
		err = site.KnownWord("action", action,
			[]string{audit.RoutinePaused, audit.RoutineResumed, audit.RoutineRemoved})
	}
	if err == nil {
		err = p.Note(audit.Entry{Type: audit.TypeRoutine, Action: action, What: name, By: world.User().Name()})
	}
	if err != nil || action != audit.RoutineRemoved {
		return err
	}
	return atomicfile.WithinAny(p.Root.Files(), routinesFolder, func(files atomicfile.Files) error {
		return errors.Join(files.Remove(name+routineSuffix), files.Sync())
	})
}

// Listed is a routine in a list, as --json prints it.
type Listed struct {
	Name string `json:"name"`
	routine.Routine
	Paused  bool      `json:"paused,omitempty"`
	Next    time.Time `json:"next,omitzero"`
	Problem string    `json:"problem,omitempty"`
	Past    []Firing  `json:"past,omitempty"` // the latest last
}

// Firing is what became of a routine when it was its turn.
type Firing struct {
	At      time.Time         `json:"at"`
	Action  string            `json:"action"`
	Session council.SessionID `json:"session,omitempty"`
	Status  string            `json:"status,omitempty"` // of the session
	Why     string            `json:"why,omitempty"`
}

func (f Firing) String() string {
	words := f.Action
	if f.Status != "" {
		words = f.Status
	}
	return site.Clock(f.At) + ": " + words
}

// ListAll lists the routines, each with its latest firing. problem returns why one cannot be convened, or nil.
func (p *Plans) ListAll(world *site.World, problem func(*recorder.Root, Routine) error) ([]Listed, error) {
	files, err := p.RoutineFiles()
	return council.Map(files, func(f Routine) Listed { return p.List(world, f, 1, problem(p.Root, f)) }), err
}

// List returns a routine with its latest firings, in its zone. problem is why it cannot be convened, or nil.
func (p *Plans) List(world *site.World, f Routine, most int, problem error) Listed {
	l := Listed{Name: f.Name, Routine: f.Routine}
	if problem != nil {
		l.Problem = site.CutSecrets(problem.Error())
	}
	zone, err := f.Zone()
	if err != nil {
		zone = time.Local
	}
	since := world.Now()
	if s := p.Routines[f.Name]; s != nil {
		l.Paused = s.Paused
		if s.File == f.Digest && !s.ClockWentBack(since) {
			since = s.Since
		}
		for _, e := range s.Past[max(0, len(s.Past)-most):] {
			past := Firing{At: e.At.In(zone), Action: e.Action, Session: e.Session, Why: e.Why}
			if e.Session != "" {
				past.Status = listing.Status(p.Root.Summary(e.Session))
			}
			l.Past = append(l.Past, past)
		}
	}
	if f.Err == nil && !l.Paused {
		l.Next, _ = f.Routine.Next(since) // what keeps it from coming is the problem
	}
	return l
}

// NextWords says when a routine is convened next.
func (l Listed) NextWords() string {
	switch {
	case l.Paused:
		return "paused"
	case l.Next.IsZero():
		return "never"
	}
	return site.Clock(l.Next)
}

// Schedule returns when a routine is due, in its own words.
func (l Listed) Schedule() string { return strings.TrimSpace(hostile.Label(l.Cron + " " + l.TimeZone)) }
