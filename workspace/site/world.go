// Package site holds what belongs to one .council folder beside its record: the policy in force, the gate before
// everything that costs or acts, the ledger, and the memory; and the world in which operations on it run.
package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/council-engine/council/council/config"
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

// Kept returns the value under a key until the world is closed, made if there is none. Keys are of types of their own.
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

// StateFolder returns the folder for data outside all records, such as the key of this machine.
func (u User) StateFolder() (string, error) {
	state := u.getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification says to ignore one that is not
		home := u.getenv("HOME")
		// A home that does not exist, such as that of the user nobody, is not made.
		if info, err := os.Stat(home); !filepath.IsAbs(home) || err != nil || !info.IsDir() {
			return "", errors.New("there is no folder for the state of this user: neither XDG_STATE_HOME nor HOME names one")
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

// Stoppable returns a context that the first signal to end ends, for what is done while there is no session.
func (w *World) Stoppable(parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, let := w.Signals()
	go func() {
		select {
		case <-signals:
			cancel(errors.New("stopped; what was stored before is kept"))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { let(); cancel(nil) }
}

const (
	// ConfigFile is the configuration that is read where no flag names another.
	ConfigFile = "council.config.json"
	// DefaultRoot is the folder of the record when neither a flag nor a configuration names one.
	DefaultRoot = ".council"
)

// Place returns the folder whose configuration and record are the defaults: the working folder or the nearest parent
// that has either, else the working folder. It stops below a folder that everybody may write to, such as /tmp.
func Place() string {
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		if _, err := os.Stat(filepath.Join(dir, ConfigFile)); err == nil {
			return dir
		}
		if info, err := os.Stat(filepath.Join(dir, DefaultRoot)); err == nil && info.IsDir() {
			return dir
		}
		here, err := os.Stat(dir)
		above, failed := os.Stat(filepath.Join(dir, ".."))
		if err != nil || failed != nil || os.SameFile(here, above) ||
			above.Mode().Perm()&0o002 != 0 && runtime.GOOS != "windows" {
			return "."
		}
	}
}

// Config returns the path of the default configuration, which may not exist.
func Config() string { return filepath.Join(Place(), ConfigFile) }

// Home returns the default folder of the record: the one that the configuration in [Place] names, else [DefaultRoot]
// there. An unreadable configuration is ignored.
func Home() string { return HomeOf(Place()) }

// HomeOf is [Home] for another working folder. The returned path begins with that folder.
func HomeOf(folder string) string {
	dir := DefaultRoot
	if doc, err := os.ReadFile(filepath.Join(folder, ConfigFile)); err == nil {
		dir = cmp.Or(config.RootDir(doc), dir)
	}
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(folder, dir)
}

// HasConfigFor reports whether the workspace with the given record folder has a configuration. A record kept
// elsewhere, such as the action's, has none.
func HasConfigFor(root string) bool {
	return (root == "" || filepath.Clean(root) == filepath.Clean(Home())) && HasConfig()
}

// HasConfig reports whether the default configuration exists.
func HasConfig() bool {
	_, err := os.Stat(Config())
	return err == nil
}

// ExplainUnreadable explains why the configuration at path cannot be read.
func ExplainUnreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s; council init writes one to start from", path)
	}
	return fmt.Errorf("%s cannot be read: %w", path, atomicfile.Explain(err))
}

// PathLine returns a path for display on one line.
func PathLine(path string) string { return hostile.Line(filepath.ToSlash(path)) }

// ReadFile reads a file up to one byte beyond the size of a configuration, so that the parser refuses a longer one.
func ReadFile(path string) ([]byte, error) {
	doc, err := atomicfile.ReadOrdinary(nil, path, config.MaxSize)
	switch {
	case NoSuchPath(err):
		return nil, absentFile(filepath.ToSlash(path))
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.ToSlash(path), atomicfile.Explain(err))
	}
	return append([]byte{}, doc...), nil // an empty file is there, and wrong
}

// absentFile is the path of a file that does not exist.
type absentFile string

func (a absentFile) Error() string        { return "there is no file " + string(a) }
func (a absentFile) Is(target error) bool { return target == fs.ErrNotExist }

// CommandLine completes a suggested command for a record: it names the folder unless that is the default.
func CommandLine(root *recorder.Root, command string) string {
	path := root.Path()
	if filepath.Clean(path) == filepath.Clean(Home()) {
		return command
	}
	path = hostile.Line(filepath.ToSlash(path))
	if strings.ContainsAny(path, " \t'\"\\$`&|;()<>*?[]#~!{}") {
		path = fmt.Sprintf("%q", path)
	}
	return command + " --root " + path
}

// Clock formats a time for display, with its zone.
func Clock(t time.Time) string { return t.Format("2006-01-02 15:04:05 MST") }

// Joined joins the words that are not empty.
func Joined(between string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), between)
}

// Since reads the value of a flag that leaves out what is older; the zero time for "".
func Since(flag, since string, now time.Time) (time.Time, error) {
	if since == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, since); err == nil {
		return day, nil
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(since, "d")); err == nil && strings.HasSuffix(since, "d") && n >= 0 {
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(since); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, Refuse("--"+flag+" is a day such as 2026-11-01 or a time such as 7d or 12h, not "+
		Quote(since), "--"+flag+" 30d means the last thirty days.")
}
