// Package recorder keeps sessions on disk: one folder each, in a workspace that is called .council by default.
//
// In a session's folder events.json is the truth and the conversations are the write-ahead of paid replies. Everything
// else is derived from the log and can be written again. The form of both is described in docs/events.md.
//
// A [Root] is safe for concurrent use, also by several processes. A [Session] is held by one process at a time, and its
// Append, Finalize and Close belong to one goroutine; its conversations may be used by one goroutine each. After a
// failed write the session or the conversation returns that error from every call: the state of the disk is known again
// when the session is resumed. The package is stable as package workspace says.
package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/verify"
)

// The folders of a workspace: one folder a session, and one lock file a session.
const (
	SessionsFolder = "sessions"
	LocksFolder    = "locks"
)

// Root is a workspace. It makes, finds, locks, reads and verifies the sessions. The archive, the conversations after a
// close and the marks of unsettled closes are parts with methods of their own.
type Root struct {
	Archive       Archive
	Conversations Conversations
	Unsettled     Unsettled

	path  string
	files atomicfile.Files
}

// Layer wraps the file layer between the recorder and the disk. Every change to the disk passes it, but for the lock
// itself. It may be nil.
type Layer = func(atomicfile.Files) atomicfile.Files

func joinLayers(layers []Layer) Layer {
	return func(files atomicfile.Files) atomicfile.Files {
		for _, layer := range layers {
			if layer != nil {
				files = layer(files)
			}
		}
		return files
	}
}

// OpenRoot opens the workspace in the folder and makes it if there is none. [ErrForeign]: the folder holds something
// else. [ErrNewer]: a newer version of council made it. [ErrReadOnly]: it cannot be made.
func OpenRoot(path string, layers ...Layer) (*Root, error) {
	if failed, err := atomicfile.EnsurePath(path, joinLayers(layers)); err != nil {
		return nil, explainDisk(failed, err)
	}
	return open(path, layers, (*Root).claim)
}

// FindRoot opens an existing workspace and changes nothing. [ErrNoRoot]: there is none. [ErrForeign] and [ErrNewer] as
// for [OpenRoot].
func FindRoot(path string, layers ...Layer) (*Root, error) {
	r, err := open(path, layers, func(r *Root) error {
		ours, err := r.recognise()
		if err == nil && !ours {
			err = fs.ErrNotExist
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNoRoot, path)
	}
	return r, err
}

// Path returns the folder as it was named.
func (r *Root) Path() string { return r.path }

// Files returns the workspace's own folder, for files beside the sessions. It is closed with the workspace.
func (r *Root) Files() atomicfile.Files { return r.files }

// Close releases the folder. Sessions that are open stay open.
func (r *Root) Close() error { return r.files.Close() }

// open opens a folder and looks at it with check.
func open(path string, layers []Layer, check func(*Root) error) (*Root, error) {
	files, err := atomicfile.OpenDir(path)
	if err != nil {
		return nil, explainDisk(path, err)
	}
	r := &Root{path: path, files: joinLayers(layers)(files)}
	r.Archive, r.Conversations, r.Unsettled = Archive{r}, Conversations{r}, Unsettled{r}
	if err := check(r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// VersionFile marks a folder as a workspace, and holds the version of its layout.
const VersionFile = "VERSION"

// byHand are the files and folders that people write into a workspace, perhaps before council makes the folder one.
var byHand = []string{"config.toml", "policy.toml", "prices.json", "councils", "memory", "routines", gitignore}

// AdoptedFolder holds the files that a workspace took over from another engine, perhaps before council makes the folder
// one.
const AdoptedFolder = "roundtable"

// ByHand reports whether people write a file or folder of this name into a workspace.
func ByHand(name string) bool { return slices.Contains(byHand, name) }

const layout = 1

const gitignore = ".gitignore"

// The parts of a workspace that git may commit.
const (
	CommitAll     = "all"     // the record, without derived files and those of this machine
	CommitMinutes = "minutes" // transcripts, documents and the files that people write
)

// uncommitted are the files of a workspace that are derived, or of this machine or moment.
const uncommitted = "/ID\n/.forgetting*\n/locks/\n/open/\n/live/\n/council.db*\n/audit/audit_single_writer\n" +
	"*.tmp\n*.lock\n"

// Commit writes which files of the workspace git leaves out. A new workspace has [CommitAll].
func (r *Root) Commit(what string) error {
	text := "# Written by council init --commit=" + what + "\n" + uncommitted
	if what == CommitMinutes {
		text += "/*\n!/.gitignore\n!/sessions/\n/sessions/*/*\n!/sessions/*/transcript.md\n!/sessions/*/documentation*.md\n" +
			"!/councils/\n!/routines/\n!/*.toml\n!/prices.json\n"
	}
	err := atomicfile.WriteUnsynced(r.files, gitignore, []byte(text))
	if errors.Is(err, fs.ErrNotExist) { // another process took the file from us, and writes the same
		err = nil
	}
	return explainDisk(r.path, err)
}

// claim makes the folder a workspace, unless it is one or holds something else.
func (r *Root) claim() error {
	ours, err := r.recognise()
	if err != nil {
		return err
	}
	if !ours {
		if _, err := r.files.Lstat(gitignore); errors.Is(err, fs.ErrNotExist) {
			if err := r.Commit(CommitAll); err != nil {
				return err
			}
		}
		// Two processes may both write it, with the same content.
		if err := atomicfile.Write(r.files, VersionFile, fmt.Appendf(nil, "council %d\n", layout)); err != nil {
			return explainDisk(r.path, err)
		}
	}
	for _, folder := range []string{SessionsFolder, LocksFolder} {
		if err := atomicfile.EnsureFolder(r.files, folder); err != nil {
			return explainDisk(r.path, err)
		}
	}
	return nil
}

// recognise reports whether the folder is a workspace already. An empty folder, and one that was interrupted while it
// was made, is not.
func (r *Root) recognise() (bool, error) {
	entries, err := r.files.List()
	if err != nil {
		return false, explainDisk(r.path, err)
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == VersionFile }) {
		return true, r.checkVersion()
	}
	for _, e := range entries {
		if !atomicfile.Temporary(e.Name()) && !ByHand(e.Name()) && e.Name() != AdoptedFolder {
			return false, fmt.Errorf("%w: %s has no file %s, but holds %q", ErrForeign, r.path, VersionFile, e.Name())
		}
	}
	return false, nil
}

func (r *Root) checkVersion() error {
	text, err := atomicfile.Read(r.files, VersionFile)
	if errors.Is(err, fs.ErrInvalid) || errors.Is(err, atomicfile.ErrLink) {
		return fmt.Errorf("%w: %s in %s is not a plain file", ErrForeign, VersionFile, r.path)
	}
	if err != nil {
		return explainDisk(r.path, err)
	}
	var version int
	switch n, err := fmt.Sscanf(string(text), "council %d\n", &version); {
	case n != 1 || err != nil || version < 1:
		return fmt.Errorf("%w: %s in %s was written by something else", ErrForeign, VersionFile, r.path)
	case version > layout:
		return fmt.Errorf("%w: %s has layout %d, and this version knows layouts up to %d",
			ErrNewer, r.path, version, layout)
	}
	return nil
}

// Holder is the process that writes a session.
type Holder = atomicfile.Holder

const lockSuffix = ".lock"

func lockName(id council.SessionID) string { return string(id) + lockSuffix }

// takeLock takes the lock of a session, archived or not, and writes the holder into it. One process at a time holds it.
// It makes the folder of the locks if there is none: a clone made by git lacks empty folders. [ErrLocked].
func (r *Root) takeLock(id council.SessionID) (lock *atomicfile.Lock, err error) {
	err = atomicfile.WithinMade(r.files, LocksFolder, func(locks atomicfile.Files) error {
		lock, err = atomicfile.TakeLock(locks, lockName(id))
		return err
	})
	if held, ok := errors.AsType[*atomicfile.LockedError](err); ok {
		err = fmt.Errorf("session %s %w by %s", id, ErrLocked, held.Holder)
	}
	return lock, explainDisk(r.path, err)
}

// Hold takes the lock of a session for a worker on another machine, which becomes its [Holder]. The caller releases it.
// [ErrLocked].
func (r *Root) Hold(id council.SessionID, worker string) (*atomicfile.Lock, error) {
	lock, err := r.takeLock(id)
	if err != nil {
		return nil, err
	}
	if err := lock.For(worker); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}

// Holder returns the process that writes a session now; held is false where none does.
func (r *Root) Holder(id council.SessionID) (h Holder, held bool) {
	_ = atomicfile.Within(r.files, LocksFolder, func(locks atomicfile.Files) error {
		h, held = atomicfile.LockedBy(locks, lockName(id))
		return nil
	})
	return h, held
}

// Sentinels of a workspace, wrapped with details.
var (
	// ErrNoRoot: there is no workspace there. Convene a council to make one, or name another folder.
	ErrNoRoot = errors.New("there is no council workspace")
	// ErrForeign: the folder was made by something else and is left alone. Name another one.
	ErrForeign = errors.New("the folder is not a council workspace")
	// ErrReadOnly: the folder cannot be written. Change its permissions, or name another one.
	ErrReadOnly = errors.New("the folder cannot be written")
	// ErrNewer: the record was written by a newer version of council. Read it with that version.
	ErrNewer = chain.ErrNewer
	// ErrDamaged: the record differs from the one that was written; a [chain.DamageError] says where.
	ErrDamaged = chain.ErrDamaged
)

// Sentinels of a session, wrapped with details.
var (
	// ErrUnknownSession: no session has that name. List the sessions.
	ErrUnknownSession = errors.New("there is no such session")
	// ErrExists: a session of that id has begun already. Resume it, or take another id.
	ErrExists = errors.New("the session exists already")
	// ErrNotBegun: the session's folder holds no event, because it was interrupted before the first. Convene again.
	ErrNotBegun = verify.ErrNotBegun
	// ErrAmbiguous: a prefix names several sessions. Give more of the id.
	ErrAmbiguous = errors.New("names several sessions")
	// ErrLocked: another process is writing the session, which the error names. Wait for it or end it.
	ErrLocked = errors.New("is in use")
	// ErrNotClosed: only a closed session can be archived or forget words. Resume or adjourn it first.
	ErrNotClosed = errors.New("the session is not closed")
	// ErrArchived: the session is archived and cannot be changed. Restore it first.
	ErrArchived = errors.New("the session is archived")
	// ErrNotArchivable: the session cannot be archived in its present state.
	ErrNotArchivable = errors.New("the session cannot be archived")
	// ErrBadForgetPlan: the plan names an event that does not exist, or too short a fragment.
	ErrBadForgetPlan = errors.New("that cannot be forgotten")
	// ErrClosed: the session was closed by its holder, a mistake in the program.
	ErrClosed = errors.New("the session's record was closed")
)

func explainDisk(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %s: %w", ErrReadOnly, path, err)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %s is a file, or lies in one", ErrForeign, path)
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("the folder %s cannot be used: %w", path, failed.Err)
	}
	return err
}
