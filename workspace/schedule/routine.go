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
	"github.com/council-engine/council/workspace/site"
)

// routinesFolder holds a file for each routine.
const routinesFolder = "routines"

// Add writes the file of a routine that is to be convened, and returns when it is due for the first time.
func (p *Plans) Add(world *site.World, name string, r routine.Routine) (due time.Time, err error) {
	known, err := p.RoutineFiles()
	if err != nil {
		return due, err
	}
	if slices.ContainsFunc(known, func(f Routine) bool { return f.Name == name }) {
		return due, site.Refuse("there is a routine "+name+" already",
			"Edit its file, or remove it first: council routine remove "+name)
	}
	doc, err := r.File()
	if err != nil {
		return due, err
	}
	due, err = r.Next(world.Now())
	if err == nil {
		err = p.Note(audit.Entry{Type: audit.TypeRoutine, Action: audit.RoutineAdded, What: name, By: world.By(),
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
	Name   string
	Digest string
	Err    error // why it cannot be used
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
