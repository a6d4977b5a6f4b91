// Package cli holds the parts that all verbs share: their environment, flags and help, the settings that replace flags,
// exit codes, and the printing of lines, JSON, tables and pages. It is a package because each noun is one.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/settings"
	"github.com/council-engine/council/workspace/site"
)

// Env is the environment of the verbs: the world, the streams, and the terminal.
type Env struct {
	*site.World

	In        io.Reader
	Out, Errs io.Writer
	Terminal  bool       // Out and Errs are a terminal
	Keyboard  bool       // In is a terminal
	Width     func() int // columns of the terminal; nil or 0: unknown
	Height    func() int // rows of the terminal; nil or 0: unknown

	Pause time.Duration           // see [terminal.Keyboard]
	Raw   func() (restore func()) // see [terminal.Full]
	Asker Asker                   // asks for credentials; nil: at the terminal

	Execute func(e *Env, ctx context.Context, args []string) int // runs a command line

	Trusting bool                      // --trust was given
	Settings map[string]settings.Given // values of flags that came from settings, by flag

	typed *terminal.Keyboard
}

// Asker asks a person and returns the typed line, without echo if it is secret, or an error of reading or the context.
type Asker func(ctx context.Context, question string, secret bool) (string, error)

// Keys returns the lines of the keyboard.
func (e *Env) Keys() *terminal.Keyboard {
	if e.typed == nil {
		e.typed = terminal.NewKeyboard(e.In)
		e.typed.Pause = e.Pause
	}
	return e.typed
}

// Confirm asks a yes-or-no question on Errs. No answer is a no.
func (e *Env) Confirm(ctx context.Context, question string) (bool, error) {
	return e.ConfirmOn(ctx, e.Errs, question)
}

// ConfirmOn is Confirm on another stream, below the text there.
func (e *Env) ConfirmOn(ctx context.Context, out io.Writer, question string) (bool, error) {
	fmt.Fprint(out, question+" [y/N] ")
	answer, err := e.Keys().Line(ctx)
	return err == nil && Yes(answer), err
}

// Alone returns an Env for a session among several: it cannot prompt, and prints only warnings.
func (e *Env) Alone(errs io.Writer, signals func() (<-chan os.Signal, func())) *Env {
	child := *e
	child.In, child.Out, child.Errs = strings.NewReader(""), io.Discard, errs
	child.Terminal, child.Keyboard = false, false
	child.World = e.With(func(w *site.World) { w.Warn, w.Attended, w.Signals = child.Warn, false, signals })
	return &child
}

// Say prints a line to Out, with control characters made harmless.
func (e *Env) Say(format string, args ...any) { fmt.Fprintln(e.Out, terminal.Sprintf(format, args...)) }

// Warn is Say to Errs.
func (e *Env) Warn(format string, args ...any) {
	fmt.Fprintln(e.Errs, terminal.Sprintf(format, args...))
}

// SayUnless is Say unless there is an error, which it returns.
func (e *Env) SayUnless(err error, format string, args ...any) error {
	if err == nil {
		e.Say(format, args...)
	}
	return err
}

// SayAll prints lines to Out, each like Say.
func (e *Env) SayAll(lines []string) {
	for _, line := range lines {
		e.Say("%s", line)
	}
}

// WarnAll is SayAll to Errs.
func (e *Env) WarnAll(lines []string) {
	for _, line := range lines {
		e.Warn("%s", line)
	}
}

// JSON prints v to Out as a [JSONLine]. [Output] keeps the error.
func (e *Env) JSON(v any) { _, _ = e.Out.Write(JSONLine(v)) }

// JSONLine returns v as JSON with a line end. Hidden and control characters in it are escaped.
func JSONLine(v any) []byte {
	var line bytes.Buffer
	as := json.NewEncoder(&line)
	as.SetEscapeHTML(false)
	if err := as.Encode(v); err != nil {
		panic(fmt.Sprintf("council: %T cannot be printed as JSON: %v", v, err))
	}
	return hostile.JSON(line.Bytes())
}

// Fold breaks the lines of a text to the width of the terminal, if Out is one.
func (e *Env) Fold(text string) string {
	if !e.Terminal {
		return text
	}
	return terminal.Fold(text, terminal.Columns(e.Width))
}

// Table prints rows to Out in columns that fit the terminal, each cell on one line.
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

// Asked reports whether the command can prompt: input and output are a terminal.
func (e *Env) Asked() bool { return e.Keyboard && e.Terminal }

// Yes reports whether an answer to a question that ends with [y/N] is a yes.
func Yes(answer string) bool {
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// NameOf returns the session in the arguments, else "latest".
func NameOf(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return recorder.Latest
}

// homed marks a flag --root whose default is [site.Home].
const homed = "council_home"

// RootFlag adds the flag --root. [GoHome] sets its default.
func RootFlag(f *pflag.FlagSet, root *string) {
	f.StringVar(root, "root", "", "folder of the record (default: what "+site.ConfigFile+" says, else "+site.DefaultRoot+
		", here or in a folder above)")
	f.Lookup("root").Annotations = map[string][]string{homed: {}}
}

// GoHome sets a flag of [RootFlag] that was not given, and does not count as given, to the usual folder of the record.
func GoHome(cmd *cobra.Command) error {
	if f := cmd.Flags().Lookup("root"); f != nil && !f.Changed && f.Annotations[homed] != nil {
		return f.Value.Set(site.Home())
	}
	return nil
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

// The exit codes.
const (
	ExitOK         = 0 // decided, and approved where a document was asked for; or rehearsed as asked
	ExitError      = 1
	ExitUsage      = 2
	ExitNotDecided = 3 // not decided, or the document was not approved
	ExitSuspended  = 4 // resumable, or another process has the session, or memory
	ExitFindings   = 3 // fsck found something that is not damage
	ExitDamaged    = 5
)

// ExitCode is an error that was printed already.
type ExitCode int

// ErrFindings and ErrDamage say that a check found something, damage or something else.
const (
	ErrFindings ExitCode = ExitFindings
	ErrDamage   ExitCode = ExitDamaged
)

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// ResultCode returns the exit code for the result of a run: nil if it decided and approved any document that it was to
// write, or if it was a rehearsal that completed.
func ResultCode(r engine.Result) error {
	switch o := r.Outcome; {
	case o == nil:
		return ExitCode(ExitSuspended)
	case o.Rehearsed && o.Ended == council.SessionCompleted:
	case !o.Decided, o.Documentation == council.DocumentationUnapproved, o.Documentation == council.DocumentationMissing:
		return ExitCode(ExitNotDecided)
	}
	return nil
}
