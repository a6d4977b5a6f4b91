// Package cli is what all verbs share: their environment, flags and help, the settings that replace flags, exit codes,
// and the printing of lines, JSON, tables and pages. It is its own package because each noun of the command is one.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// Env is what the verbs share: the world, the streams, and the person at the terminal.
type Env struct {
	*site.World

	In        io.Reader
	Out, Errs io.Writer
	Terminal  bool       // Out and Errs are a terminal
	Keyboard  bool       // In is a terminal
	Width     func() int // columns of the terminal; 0, as well as nil, where they are not known
	Height    func() int // its rows, likewise

	Pause time.Duration           // within which pasted text goes on
	Raw   func() (restore func()) // hands on each key that is pressed
	Asker Asker                   // asks for credentials; nil: at the terminal

	Execute func(e *Env, ctx context.Context, args []string) int // carries out a command line

	Trusting bool             // --trust was given
	Settings map[string]Given // the flags that settings gave, by their names

	typed *terminal.Keyboard
}

// Asker asks a person, and returns the line that is typed; what is secret is not shown meanwhile. Its errors are those
// of reading, and of the context.
type Asker func(ctx context.Context, question string, secret bool) (string, error)

// Given is the value of a setting, and where it comes from.
type Given struct {
	Value  string
	From   string // file and line, or the environment variable; "" for a default
	Line   int    // in the file; 0 for what comes from none
	Shared bool   // from a workspace's file, which may come from somebody else
	Note   string // what was not taken in its favour, and why
}

// Keys returns the lines of the keyboard.
func (e *Env) Keys() *terminal.Keyboard {
	if e.typed == nil {
		e.typed = terminal.NewKeyboard(e.In)
		e.typed.Pause = e.Pause
	}
	return e.typed
}

// Confirm asks a question of yes or no on Errs. Without an answer it is a no.
func (e *Env) Confirm(ctx context.Context, question string) (bool, error) {
	return e.ConfirmOn(ctx, e.Errs, question)
}

// ConfirmOn is Confirm with the question below other text, on the same stream.
func (e *Env) ConfirmOn(ctx context.Context, out io.Writer, question string) (bool, error) {
	fmt.Fprint(out, question+" [y/N] ")
	answer, err := e.Keys().Line(ctx)
	return err == nil && Yes(answer), err
}

// Alone returns an Env for a session among several: it has nobody to ask, and prints nothing but warnings.
func (e *Env) Alone(errs io.Writer, signals func() (<-chan os.Signal, func())) *Env {
	child := *e
	child.In, child.Out, child.Errs = strings.NewReader(""), io.Discard, errs
	child.Terminal, child.Keyboard = false, false
	child.World = e.With(func(w *site.World) { w.Warn, w.Attended, w.Signals = child.Warn, false, signals })
	return &child
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

// JSON prints v to Out on a line of its own, see [JSONLine]. That Out cannot be written is for Out to keep.
func (e *Env) JSON(v any) { _, _ = e.Out.Write(JSONLine(v)) }

// JSONLine returns v as JSON with a line end, for programs. People may look at it too: nothing in it steers a terminal
// or is hidden.
func JSONLine(v any) []byte {
	var line bytes.Buffer
	as := json.NewEncoder(&line)
	as.SetEscapeHTML(false)
	if err := as.Encode(v); err != nil {
		panic(fmt.Sprintf("council: %T cannot be printed as JSON: %v", v, err))
	}
	return hostile.JSON(line.Bytes())
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

// NameOf returns the session that was named, else the latest.
func NameOf(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return recorder.Latest
}

// homed marks a flag --root that is [site.Home] where it is not given.
const homed = "council_home"

// RootFlag lets a command be told where the record is. [GoHome] fills in what was not given.
func RootFlag(f *pflag.FlagSet, root *string) {
	f.StringVar(root, "root", "", "folder of the record (default: what "+site.ConfigFile+" says, else "+site.DefaultRoot+
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
	return f.Value.Set(site.Home())
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
