package schedule

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/site"
)

const routinesFolder = "routines"

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
		err = atomicfile.EnsureFolder(p.Root.Files(), routinesFolder)
	}
	if err == nil {
		err = p.InRoutines(func(files atomicfile.Files) error { return atomicfile.Write(files, name+RoutineSuffix, doc) })
	}
	return due, err
}

// Routine is a routine as it stands on disk.
type Routine struct {
	routine.Routine
	Name, Digest string
	Err          error // why it cannot be used
}

// RoutineSuffix ends the name of a routine's file.
const RoutineSuffix = ".toml"

// RoutinePath returns the path of a routine's file, for people.
func (p *Plans) RoutinePath(name string) string {
	return filepath.ToSlash(filepath.Join(p.Root.Path(), routinesFolder, name+RoutineSuffix))
}

// InRoutines calls do with the folder of routines, unless there is none.
func (p *Plans) InRoutines(do func(atomicfile.Files) error) error {
	return atomicfile.WithinAny(p.Root.Files(), routinesFolder, do)
}

// RoutineFiles reads the routines, by name.
func (p *Plans) RoutineFiles() (all []Routine, err error) {
	err = p.InRoutines(func(files atomicfile.Files) error {
		entries, err := files.List()
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), RoutineSuffix)
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
	var names []string
	for _, f := range files {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Routine{}, &site.Error{Code: site.NotFound, Problem: "there is no routine " + site.Quote(name),
		Hint: site.DidYouMean(name, names, "council schedule list has them.")}
}

// RuleRoutine records that a person pauses, resumes or removes a routine: an action of package audit.
func (p *Plans) RuleRoutine(world *site.World, f Routine, action string) error {
	known := []string{audit.RoutinePaused, audit.RoutineResumed, audit.RoutineRemoved}
	if err := site.KnownWord("action", action, known); err != nil {
		return err
	}
	err := p.Note(audit.Entry{Type: audit.TypeRoutine, Action: action, What: f.Name, By: world.User().Name()})
	if err != nil || action != audit.RoutineRemoved {
		return err
	}
	return p.InRoutines(func(files atomicfile.Files) error {
		return errors.Join(files.Remove(f.Name+RoutineSuffix), files.Sync())
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
