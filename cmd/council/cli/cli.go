// Package cli is what all commands share: the streams and the world around them, how a record is found, how a command
// line is refused, and how lines, JSON and tables are printed. Packages seating and doctor use it too, so it is not in
// main.
package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

// Env holds the streams, the environment and the sources of time and randomness of a command.
type Env struct {
	In        io.Reader
	Out, Errs io.Writer
	Terminal  bool       // Out and Errs are a terminal
	Keyboard  bool       // In is a terminal
	Width     func() int // columns of the terminal; 0, as well as nil, where they are not known
	Height    func() int // its rows, likewise
	Getenv    func(string) string
	Now       func() time.Time
	Random    io.Reader                               // unguessable bytes
	Layer     func(atomicfile.Files) atomicfile.Files // between what is kept and the disk; nil: none
}

// ErrFindings: something was found that is not damage. What it is was printed.
var ErrFindings = errors.New("something is not as it should be")

// Told is an error that has been explained to the user already. What it wraps decides the exit code.
type Told struct{ Err error }

func (t *Told) Error() string { return t.Err.Error() }

// Unwrap returns what was told.
func (t *Told) Unwrap() error { return t.Err }

// Say prints a line to Out, without anything that steers a terminal.
func (e *Env) Say(format string, args ...any) { fmt.Fprintln(e.Out, terminal.Sprintf(format, args...)) }

// Warn prints a line to Errs, without anything that steers a terminal.
func (e *Env) Warn(format string, args ...any) {
	fmt.Fprintln(e.Errs, terminal.Sprintf(format, args...))
}

// JSON prints v to Out on a line of its own. People may look at it too: nothing in it steers a terminal or is hidden.
// That Out cannot be written is for Out to keep, as with all that is printed.
func (e *Env) JSON(v any) {
	var line bytes.Buffer
	as := json.NewEncoder(&line)
	as.SetEscapeHTML(false)
	if err := as.Encode(v); err != nil {
		panic(fmt.Sprintf("council: %T cannot be printed as JSON: %v", v, err))
	}
	_, _ = e.Out.Write(hostile.JSON(line.Bytes()))
}

// Table prints rows to Out in columns that fit the terminal. No cell steers it, or ends its line.
func (e *Env) Table(rows ...[]any) error {
	lines := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			lines[i] = append(lines[i], hostile.Line(fmt.Sprint(cell)))
		}
	}
	_, err := fmt.Fprintln(e.Out, strings.Join(terminal.Grid(lines, terminal.Columns(e.Width), nil), "\n"))
	return err
}

// Asked reports whether somebody sits at a terminal and can be asked.
func (e *Env) Asked() bool { return e.Keyboard && e.Terminal }

// Yes reports whether an answer to a question that ends with [y/N] is a yes.
func Yes(answer string) bool {
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// By names the person at the keyboard in rulings.
func (e *Env) By() string {
	if name := e.Getenv("USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody"
}

// Inputs returns what a record needs from outside.
func (e *Env) Inputs() recorder.Inputs {
	return recorder.Inputs{Now: e.Now, Random: e.Random}
}

// Through returns files with the layer between them and the disk, if there is one.
func (e *Env) Through(files atomicfile.Files) atomicfile.Files {
	if e.Layer == nil {
		return files
	}
	return e.Layer(files)
}

// InRecord opens the record in a folder, calls do with it, and closes it.
func (e *Env) InRecord(folder string, do func(*recorder.Root) error) error {
	root, err := recorder.FindRoot(folder, e.Layer)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// NameOf returns the session that was named, else the latest.
func NameOf(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return recorder.Latest
}

// ConfigFolder returns the folder of the user's own settings, as the environment names it, or "" where it names none.
func (e *Env) ConfigFolder() string {
	folder := e.Getenv("XDG_CONFIG_HOME")
	if home := e.Getenv("HOME"); folder == "" && home != "" {
		folder = filepath.Join(home, ".config")
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "council")
}

var errNoState = errors.New("there is no folder for the state of this user: neither XDG_STATE_HOME nor HOME names one")

// StateFolder returns the folder for what belongs to no record, such as the key of this machine.
func (e *Env) StateFolder() (string, error) {
	state := e.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification says to ignore one that is not
		home := e.Getenv("HOME")
		// A home that does not exist, such as that of the user nobody, is not made.
		if info, err := os.Stat(home); !filepath.IsAbs(home) || err != nil || !info.IsDir() {
			return "", errNoState
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "council"), nil
}

const (
	// ConfigFile is the configuration that is read where no flag names another.
	ConfigFile = "council.config.json"
	// DefaultRoot is the folder of the record when neither a flag nor a configuration names one.
	DefaultRoot = ".council"
)

// Place returns the folder whose configuration and record commands take where no flag names them: this one if it has
// either, else the nearest above that has, else this one. It looks no further up than to a folder in which everybody
// may write, such as /tmp: what lies there may be anybody's.
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

// Config returns the path of the configuration that is read where no flag names another. It may not be there.
func Config() string { return filepath.Join(Place(), ConfigFile) }

// Home returns the folder of the record where no flag names one: what the configuration in [Place] says, else
// [DefaultRoot] there. A configuration that cannot be read hides no record.
func Home() string { return HomeOf(Place()) }

// HomeOf is [Home] for another working folder. What it returns begins in that folder.
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

// homed marks a flag --root that is [Home] where it is not given.
const homed = "council_home"

// RootFlag lets a command be told where the record is. [GoHome] fills in what was not given.
func RootFlag(f *pflag.FlagSet, root *string) {
	f.StringVar(root, "root", "", "folder of the record (default: what "+ConfigFile+" says, else "+DefaultRoot+
		", here or in a folder above)")
	f.Lookup("root").Annotations = map[string][]string{homed: nil}
}

// GoHome has a command that was told no folder of the record look where councils convene. The flag counts as not given.
func GoHome(cmd *cobra.Command) error {
	f := cmd.Flags().Lookup("root")
	if f == nil || f.Changed {
		return nil
	}
	if _, marked := f.Annotations[homed]; !marked {
		return nil
	}
	return f.Value.Set(Home())
}

// CommandLine completes one that people are told to run on a record: it names the folder where the command would look
// elsewhere without.
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

// Version returns the line that version prints.
func Version() string {
	return fmt.Sprintf("council %s (rules %d, %s, %s/%s)\n", buildVersion(), rules.Version, runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
}

// buildVersion returns the module's version when it was installed as one, else the commit it was built from.
func buildVersion() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			return "built from " + s.Value[:min(12, len(s.Value))]
		}
	}
	return "development build"
}
