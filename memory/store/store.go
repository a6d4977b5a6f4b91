// Package store keeps memory on disk: the books, their archives, and the journal of their changes.
//
//	journal.jsonl            all changes of memory in their order, one line a step
//	COUNCIL.json, .md        the council's book, and its rendering
//	COUNCIL-2026.json, .md   the records that left it in 2026
//	ada/MEMORY.json, .md     a member's book; beside it ada/MEMORY-2026.json, .md
//	ada/AGENT.md             the profile of the member
//	categories/decision.md   the records of one kind in all books, and so for each kind
//	.lock                    held while one process writes; reading needs no lock
//	.rebuilding              there during a rebuild, when nothing else writes
//
// MEMORY.md, daily, items and members at the top are the user's own. They are never written or removed; a member of
// such a name has its folder under "member.daily".
//
// # Guarantees
//
// A step is in force once its line of the journal is durable; a book is the fold of the steps that concern it. Each
// line has the last step of each book, so the end of the journal shows which books are behind: because the process was
// killed, or because a book could not be read. The next write catches them up, from the logs of the sessions: see
// [Sessions].
//
// A book is written after its archive and its Markdown. A file that cannot be read is left as it is; see [Report].
//
// # The journal
//
// The journal has one line a step, each chained to the one before, appended and never written again:
//
//	{"format":1,"n":2,"at":"…","session":{…},"standing":{"latest":"…","books":{"COUNCIL":2,"ada":2}},"sum":"…"}
//
// The standing of each line sums up the journal so far: the time of the newest step, and the last step of each book. So
// only the end of the journal is read, however long it is.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

const (
	lockFile       = ".lock"
	rebuildingFile = ".rebuilding"
)

// patience is the time that a writer waits for another. A close takes a tenth of a second.
const patience = 10 * time.Second

// Store is the folder of memory. It keeps no file open, and is safe for concurrent use, also by several processes.
type Store struct {
	dir        string
	through    func(atomicfile.Files) atomicfile.Files
	now        func() time.Time
	load       Load
	rules      rules
	beforeEdit *sync.Map // by owner: the book before a person's edit
}

// Options are what a store uses beside its folder. The zero value is enough for reading.
type Options struct {
	Load    Load                                    // reads sessions' logs; nil: no book that is behind can be caught up
	Through func(atomicfile.Files) atomicfile.Files // between the store and the disk: all changes but the lock pass it
	Now     func() time.Time                        // names files kept aside; nil: the system's clock
}

type rules struct {
	close   func(memory.Book, memory.Session) (memory.Book, []memory.Record)
	apply   func(memory.Book, memory.Change, time.Time) (memory.Book, []memory.Record, error)
	members func([]wire.Entry) []council.MemberID
}

// Open returns the memory in a folder of the operating system. It changes nothing; the first write makes the folder. An
// error is the system's.
func Open(dir string, o Options) (*Store, error) {
	if o.Load == nil {
		o.Load = func(council.SessionID) ([]wire.Entry, error) {
			return nil, errors.New("where the sessions are is unknown")
		}
	}
	if o.Through == nil {
		o.Through = func(f atomicfile.Files) atomicfile.Files { return f }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	full, err := filepath.Abs(dir)
	return &Store{dir: full, through: o.Through, now: o.Now, load: o.Load, beforeEdit: new(sync.Map),
		rules: rules{close: memory.FoldSession, apply: memory.FoldChange, members: memory.MembersConcerned}}, err
}

// Path returns the folder, for messages.
func (s *Store) Path() string { return s.dir }

// inFolder returns the result of do in the folder of memory; the zero value where there is no folder.
func inFolder[T any](s *Store, do func(atomicfile.Files) (T, error)) (result T, err error) {
	files, err := atomicfile.OpenDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return result, nil
	}
	if err != nil {
		return result, unreadable(s.dir, err)
	}
	files = s.through(files)
	result, err = do(files)
	return result, errors.Join(err, files.Close())
}

// withLock makes the folder and locks it for writing while do runs.
func (s *Store) withLock(do func(*writer) error) (report Report, err error) {
	if failed, err := atomicfile.EnsurePath(s.dir, s.through); err != nil {
		return report, fmt.Errorf("cannot make the folder of memory %s: %w", failed, err)
	}
	return inFolder(s, func(files atomicfile.Files) (report Report, err error) {
		err = atomicfile.WithLock(files, lockFile, patience, func() error {
			w := &writer{Store: s, load: s.load, files: files, report: &report}
			err := do(w)
			if err == nil && len(report.Wrote) > 0 {
				err = w.writeCategories()
			}
			return err
		})
		if errors.Is(err, atomicfile.ErrLocked) {
			err = fmt.Errorf("%w: %w", ErrBusy, err)
		}
		return report, err
	})
}

type writer struct {
	*Store
	load     Load // that of the store, and of the session at hand
	files    atomicfile.Files
	report   *Report
	accepted []Edit // edits that the step accepts

	begun      bool // see markBegun
	rebuilding bool
	forgetting bool              // what is replaced is not kept aside
	holds      func(string) bool // whether a text holds forgotten words; nil while a rebuild finishes a forgetting
}

func checkNoRebuild(files atomicfile.Files) error {
	_, err := files.Lstat(rebuildingFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(rebuildingFile, err)
	}
	return fmt.Errorf("%w in %s", ErrRebuilding, files.Path())
}

// within runs do in the folder of an owner, which is made if there is none.
func (w *writer) within(o owner, do func(folder atomicfile.Files) error) error {
	if o == "" {
		return do(w.files)
	}
	return atomicfile.WithinMade(w.files, o.folder(), do)
}

// Sentinels of memory on disk. All are wrapped with details.
var (
	// ErrNewer means that a newer version of council wrote the file.
	ErrNewer = chain.ErrNewer
	// ErrDamaged means that a file was changed or cut short. Restore it, or rebuild memory.
	ErrDamaged = chain.ErrDamaged
	// ErrFile is an ErrDamaged of a file of memory, and not of the log of a session.
	ErrFile = fmt.Errorf("%w", ErrDamaged)
	// ErrUnreadable means that the system refuses to read the file. It wraps the system's error.
	ErrUnreadable = errors.New("a file of memory cannot be read")
	// ErrBehind means that the book lacks a step that could not be folded in, so it cannot take newer ones.
	ErrBehind = errors.New("memory lags behind its journal")
	// ErrRebuilding means that a rebuild was interrupted. Rebuild again.
	ErrRebuilding = errors.New("a rebuild of memory was interrupted")
	// ErrBusy means that another process writes memory. Try again.
	ErrBusy = errors.New("memory is in use")
	// ErrEdit means that a person's edit is invalid. Repair or discard it.
	ErrEdit = errors.New("an edit cannot be taken in")
	// ErrNotClosed means that the session is open. Only closed sessions are remembered.
	ErrNotClosed = errors.New("the session has not closed")
	// ErrNoRecord means that no id of a record begins so.
	ErrNoRecord = errors.New("there is no such record")
	// ErrNoMember means that this cannot be the id of a member.
	ErrNoMember = errors.New("there can be no such member")
)

// IsUnreadable reports whether an error concerns one unreadable book, so that the others can go on: [ErrDamaged],
// [ErrNewer] or [ErrUnreadable].
func IsUnreadable(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) || errors.Is(err, ErrUnreadable)
}

// AmbiguousError is returned for a prefix that several record ids begin with.
type AmbiguousError struct {
	Prefix     string
	Candidates []string // sorted
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q names %d records: %s", e.Prefix, len(e.Candidates), plural.List(e.Candidates, 5))
}

func damagedError(name, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrFile, name, fmt.Sprintf(format, args...))
}

// unreadableError is an [ErrUnreadable] with the system's error.
type unreadableError struct {
	text string
	why  error
}

func (e *unreadableError) Error() string   { return e.text }
func (e *unreadableError) Unwrap() []error { return []error{ErrUnreadable, e.why} }

func newerError(name string, format int) error {
	return fmt.Errorf("%w: %s has format %d, and this version reads formats up to %d",
		ErrNewer, name, format, memory.Format)
}

// unreadable returns an [ErrUnreadable] for a file. [fs.ErrNotExist], [ErrDamaged] and [ErrNewer] are returned as they
// are.
func unreadable(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) {
		return err
	}
	text := fmt.Sprintf("%v: %s: %v", ErrUnreadable, path.Clean(name), atomicfile.Explain(err))
	return &unreadableError{text, err}
}

// Report is the result of writing memory. Paths are within the folder of memory.
type Report struct {
	Wrote  []Written   // each book once
	Asides []Aside     // files that were kept under another name, because others had changed them
	Left   []Untouched // books that could not be brought up to the journal
	Lacks  []Lacking   // sessions of the journal whose log could not be read
	Edits  []Edit      // edits of people that are not accepted yet, of [Store.Recover] alone
}

// Written is a book that was written.
type Written struct {
	Member council.MemberID // empty for the council
	Moved  []memory.Record  // records that left it for an archive
}

// Aside is a file that was kept under another name.
type Aside struct {
	Path string
	Kept string // its path now
}

// Untouched is a book that was left as it was.
type Untouched struct {
	Path string // of the file that could not be read or replaced
	Err  error  // wraps [ErrDamaged], [ErrNewer], [ErrUnreadable] or [ErrBehind]
}

// Lacking is a session in memory whose log could not be read.
type Lacking struct {
	Session council.SessionID
	Err     error
}

func (r *Report) addLeft(path string, err error) {
	r.Left = append(r.Left, Untouched{Path: path, Err: err})
}

func (r *Report) addLacking(id council.SessionID, err error) {
	if !slices.ContainsFunc(r.Lacks, func(l Lacking) bool { return l.Session == id }) {
		r.Lacks = append(r.Lacks, Lacking{Session: id, Err: err})
	}
}
