package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

const (
	lockFile       = ".lock"
	rebuildingFile = ".rebuilding"
)

// patience is how long a writer waits for another. A close takes a tenth of a second.
const patience = 10 * time.Second

// Store is the folder of memory. It keeps nothing open, and is safe for concurrent use, also by several processes.
type Store struct {
	dir     string
	through func(atomicfile.Files) atomicfile.Files
	now     func() time.Time
	load    Load
	rules   rules
	folded  *sync.Map // by owner: the book that was folded again because a person edited it
}

// Option changes how a store is opened.
type Option func(*Store)

// Through puts a layer between the store and the disk. Every change to the disk passes it, but for the lock itself.
func Through(layer func(atomicfile.Files) atomicfile.Files) Option {
	return func(s *Store) { s.through = layer }
}

// Sessions sets how the logs of sessions are read. Without it a book that lags behind a session cannot be caught up.
func Sessions(load Load) Option { return func(s *Store) { s.load = load } }

// Clock tells the time at which something is kept aside. Otherwise it is the system's.
func Clock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// rules are how books change: those of package memory.
type rules struct {
	close   func(memory.Book, memory.Session) (memory.Book, []memory.Record)
	apply   func(memory.Book, memory.Change, time.Time) (memory.Book, []memory.Record, error)
	members func([]wire.Entry) []council.MemberID
}

// Open returns the memory in a folder of the operating system. It makes and changes nothing; the folder is made when
// something is first remembered. An error is the system's.
func Open(dir string, opts ...Option) (*Store, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir:     full,
		through: func(f atomicfile.Files) atomicfile.Files { return f },
		now:     time.Now,
		folded:  new(sync.Map),
		load: func(id council.SessionID) ([]wire.Entry, error) {
			return nil, errors.New("where the sessions are is unknown")
		},
		rules: rules{close: memory.FoldSession, apply: memory.FoldChange, members: memory.MembersConcerned},
	}
	for _, set := range opts {
		set(s)
	}
	return s, nil
}

// Path returns the folder for messages to people.
func (s *Store) Path() string { return s.dir }

// look runs do on the folder. It does nothing when there is none.
func (s *Store) look(do func(atomicfile.Files) error) error {
	files, err := atomicfile.OpenDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unread(s.dir, err)
	}
	files = s.through(files)
	return errors.Join(do(files), files.Close())
}

// hold makes the folder and holds it against other writers while do runs.
func (s *Store) hold(do func(*writing) error) (report Report, err error) {
	if failed, err := atomicfile.EnsurePath(s.dir, s.through); err != nil {
		return report, fmt.Errorf("cannot make the folder of memory %s: %w", failed, err)
	}
	err = s.look(func(files atomicfile.Files) error {
		lock, err := atomicfile.WaitLock(files, lockFile, patience)
		if errors.Is(err, atomicfile.ErrLocked) {
			return fmt.Errorf("%w: %s: %w", ErrBusy, s.dir, err)
		}
		if err != nil {
			return fmt.Errorf("cannot lock memory in %s: %w", s.dir, err)
		}
		w := &writing{Store: s, load: s.load, files: files, report: &report, folders: map[owner]atomicfile.Files{}}
		failed := do(w)
		if failed == nil {
			failed = w.categories()
		}
		return errors.Join(failed, w.leave(), lock.Release())
	})
	return report, err
}

// writing is memory while this process may write it.
type writing struct {
	*Store
	load    Load // that of the store, and of the session at hand
	files   atomicfile.Files
	report  *Report
	folders map[owner]atomicfile.Files // the members' folders that were opened
	taken   []Edit                     // edits that the step takes in

	begun      bool // something is written: see [writing.begin]
	rebuilding bool
	forgetting bool              // what is replaced is not kept aside
	holds      func(string) bool // whether a text holds forgotten words; nil while a rebuild finishes a forgetting
}

// settled refuses to go on from half a rebuild.
func settled(files atomicfile.Files) error {
	_, err := files.Lstat(rebuildingFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unread(rebuildingFile, err)
	}
	return fmt.Errorf("%w in %s", ErrRebuilding, files.Path())
}

// folder returns the folder of an owner's files, which is made if there is none.
func (w *writing) folder(o owner) (atomicfile.Files, error) {
	if o == "" {
		return w.files, nil
	}
	if w.folders[o] == nil {
		folder, err := atomicfile.OpenFolder(w.files, o.folder())
		if err != nil {
			return nil, err
		}
		w.folders[o] = folder
	}
	return w.folders[o], nil
}

func (w *writing) leave() error {
	var errs []error
	for _, folder := range w.folders {
		errs = append(errs, folder.Close())
	}
	return errors.Join(errs...)
}
