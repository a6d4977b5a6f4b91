// Package site holds what belongs to one .council folder beside its record: the policy in force, the gate before
// everything that costs or acts, the ledger, and the memory; and the world in which operations on it run.
package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// World holds the external dependencies of operations: time, randomness, the environment and the disk. One World
// serves one command or one server, whose end closes its ledgers.
type World struct {
	IsSet    func(name string) bool // reports whether an environment variable is set, be it to nothing
	Getenv   func(string) string
	Now      func() time.Time
	Random   io.Reader                                  // unguessable bytes
	Layer    func(atomicfile.Files) atomicfile.Files    // between files and the disk; nil: none
	Wait     func(context.Context, time.Duration) error // between the tries of a call; nil: a timer
	Warn     func(format string, args ...any)           // prints a line for the person
	Attended bool                                       // a person at a terminal reads what Warn prints

	Signals func() (caught <-chan os.Signal, release func()) // they end the program while they are not caught

	Models  map[string]member.Model // of an embedding program, by the names of their providers
	Windows *sync.Map               // context windows of servers, for sessions held at once; nil: each session asks
	Pulled  store.Load              // reads sessions of other machines; nil: there are none
	Memory  *SharedMemory           // of sessions held at once; nil: each session opens its own

	notices []string // about memory, that were printed
	opened  *opened
}

// NewWorld returns a copy of w with no ledger open.
func NewWorld(w World) *World {
	w.notices, w.opened = nil, &opened{ledgers: map[string]*ledger.Ledger{}}
	return &w
}

// With returns a copy with changes, which has notices of its own and shares the ledgers.
func (w *World) With(change func(*World)) *World {
	child := *w
	child.notices = nil
	change(&child)
	return &child
}

// Apart returns a copy for a session that nobody watches, and a function for the lines of its warnings so far.
func (w *World) Apart() (child *World, warnings func() []string) {
	var mu sync.Mutex
	var lines []string
	child = w.With(func(w *World) {
		w.Attended = false
		w.Warn = func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, strings.Split(hostile.Terminal(fmt.Sprintf(format, args...)), "\n")...)
		}
	})
	return child, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return lines
	}
}

// Close closes the ledgers. A failed sync loses only the last entries about the usage of calls.
func (w *World) Close() {
	w.opened.mu.Lock()
	defer w.opened.mu.Unlock()
	for path, l := range w.opened.ledgers {
		_ = l.Close()
		delete(w.opened.ledgers, path)
	}
}

// Kept returns the value that is kept under a key until the world is closed, which is made if there is none. Keys are
// of types of their own.
func (w *World) Kept(key, fresh any) any {
	value, _ := w.opened.kept.LoadOrStore(key, fresh)
	return value
}

// opened is shared by all copies of a world.
type opened struct {
	mu      sync.Mutex
	ledgers map[string]*ledger.Ledger // by the paths of their workspaces
	kept    sync.Map
}

// Through returns files with the layer between them and the disk, if there is one.
func (w *World) Through(files atomicfile.Files) atomicfile.Files {
	if w.Layer == nil {
		return files
	}
	return w.Layer(files)
}

// InRecord opens the record in a folder, calls do with it, and closes it.
func (w *World) InRecord(folder string, do func(*recorder.Root) error) error {
	root, err := recorder.FindRoot(folder, w.Layer)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// InNewRecord is InRecord for a record that is made if there is none.
func (w *World) InNewRecord(folder string, do func(*recorder.Root) error) error {
	root, err := recorder.OpenRoot(folder, w.Layer)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// Claim makes the workspace in a folder, unless there is one.
func (w *World) Claim(root string) error {
	return w.InNewRecord(root, func(*recorder.Root) error { return nil })
}

// InFolder calls do with a folder of the user, which it creates if needed.
func (w *World) InFolder(path string, do func(atomicfile.Files) error) error {
	if failed, err := atomicfile.EnsurePath(path, w.Through); err != nil {
		return fmt.Errorf("%s cannot be made: %w", failed, atomicfile.Explain(err))
	}
	files, err := atomicfile.OpenDir(path)
	if err != nil {
		return err
	}
	defer files.Close()
	return do(w.Through(files))
}

// User is the person who runs the program, as the environment names them.
type User struct{ getenv func(string) string }

// User returns the person who runs the program.
func (w *World) User() User { return User{w.Getenv} }

// Name names the person in rulings.
func (u User) Name() string {
	if name := u.getenv("USER"); name != "" {
		return name
	}
	if known, err := user.Current(); err == nil && known.Username != "" {
		return known.Username
	}
	return "somebody"
}

// ConfigFolder returns the folder of the user's own settings, or "" if the environment names none.
func (u User) ConfigFolder() string {
	folder := u.getenv("XDG_CONFIG_HOME")
	if home := u.getenv("HOME"); folder == "" && home != "" {
		folder = filepath.Join(home, ".config")
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "council")
}

var errNoState = errors.New("there is no folder for the state of this user: neither XDG_STATE_HOME nor HOME names one")

// StateFolder returns the folder for data outside all records, such as the key of this machine.
func (u User) StateFolder() (string, error) {
	state := u.getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification says to ignore one that is not
		home := u.getenv("HOME")
		// A home that does not exist, such as that of the user nobody, is not made.
		if info, err := os.Stat(home); !filepath.IsAbs(home) || err != nil || !info.IsDir() {
			return "", errNoState
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "council"), nil
}

// Places returns the paths of a file that the user may have, and a workspace too. The former is "" where the
// environment names no folder for it: one that is relative would lie in the repository.
func (u User) Places(root, name string) (own, shared string) {
	if folder := u.ConfigFolder(); filepath.IsAbs(folder) {
		own = filepath.Join(folder, name)
	}
	return own, filepath.Join(root, name)
}

// NoSuchPath reports whether a file or a folder on the way to it is missing.
func NoSuchPath(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// errStopped: the person stopped the command.
var errStopped = errors.New("stopped; what was stored before is kept")

// Stoppable returns a context that the first signal to end ends, for what is done while there is no session.
func (w *World) Stoppable(parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, let := w.Signals()
	go func() {
		select {
		case <-signals:
			cancel(errStopped)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { let(); cancel(nil) }
}
