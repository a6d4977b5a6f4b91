package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// KindWords describes the values of a flag, such as "a number".
func KindWords(f *pflag.Flag) string {
	return map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number",
		"duration": "a time such as 30m", "bool": "true or false"}[f.Value.Type()]
}

// Output is a stream for many goroutines. It keeps its first error, because code that prints for people ignores it.
type Output struct {
	io.Writer
	mu     sync.Mutex
	failed error
}

// Write implements [io.Writer].
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.Writer.Write(p)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// Stream returns the stream behind an [Output], for a program that needs the terminal itself.
func Stream(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return o.Writer
	}
	return w
}

// UnshownError is the error of a command whose output could not be written.
type UnshownError struct{ err error }

func (u *UnshownError) Error() string {
	return "what was to be shown could not be written to standard output: " + atomicfile.Explain(u.err).Error()
}

// Unshown returns an [UnshownError] if a command ended well but could not print, else err. A closed pipe is no error.
func (o *Output) Unshown(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var code ExitCode
	ended := err == nil || errors.As(err, &code) && code == ErrFindings
	if o.failed == nil || errors.Is(o.failed, syscall.EPIPE) || !ended && !errors.Is(err, o.failed) {
		return err
	}
	return &UnshownError{o.failed}
}

// SayWords prints text, folded at a terminal. Further lines of the arguments are indented: they may be foreign text.
func SayWords(a *Env, format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = hostile.Words(text)
		}
	}
	fmt.Fprintln(a.Out, a.Fold(terminal.Sprintf(format, args...)))
}

// SayPage prints a page of templates/tellings/pages.tmpl, folded at a terminal.
func SayPage(a *Env, page string, of any) {
	fmt.Fprint(a.Out, terminal.Paint(a.Fold(terminal.Tell(page, of)), a.Terminal))
}

// Unjoin returns the errors of an [errors.Join].
func Unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// TellUnread prints errors about unreadable files, then the hint unless it is "", and returns the first as [Printed].
func TellUnread(a *Env, errs []error, hint string) error {
	if len(errs) == 0 {
		return nil
	}
	for _, err := range errs {
		if !a.Noticed(err) {
			a.Warn("council: %v. It was left as it is.", err)
		}
	}
	if hint != "" {
		fmt.Fprintln(a.Errs, hint)
	}
	return Printed(errs[0])
}

// PageOptions are the flags for printing a document.
type PageOptions struct{ Raw, NoPager, NoColour bool }

// AddFlags adds the flags for paging and colours.
func (o *PageOptions) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.NoPager, "no-pager", false, "do not read it in the program that PAGER names, or less")
	f.BoolVar(&o.NoColour, "no-color", false, "use no colours; so does NO_COLOR in the environment")
}

// PrintFile prints a file of a session, harmless at a terminal.
func PrintFile(a *Env, ctx context.Context, name string, text []byte, o PageOptions) error {
	if strings.HasSuffix(name, ".md") {
		return PageText(a, ctx, One(string(text)), o)
	}
	if a.Terminal {
		text = []byte(hostile.Terminal(string(text)))
	}
	_, err := a.Out.Write(text)
	return err
}

// One returns a text as a sequence of one.
func One(text string) iter.Seq[string] { return slices.Values([]string{text}) }

// PageText prints pieces of Markdown: at a terminal formatted and through a pager, elsewhere unchanged.
func PageText(a *Env, ctx context.Context, pieces iter.Seq[string], o PageOptions) error {
	columns, colours, between := terminal.Columns(a.Width), UseColours(a, o.NoColour), ""
	return Paged(a, ctx, o, func(w io.Writer) error {
		for text := range pieces {
			switch {
			case a.Terminal && o.Raw:
				text = terminal.Fold(hostile.Terminal(text), columns)
			case a.Terminal:
				text, between = between+terminal.Page(text, columns, colours), "\n"
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// Paged calls write with a pager at a terminal, else with standard output.
func Paged(a *Env, ctx context.Context, o PageOptions, write func(io.Writer) error) error {
	if a.Asked() && !o.NoPager && terminal.Pager(ctx, a.Getenv, write, Stream(a.Out), Stream(a.Errs)) {
		return nil
	}
	return write(a.Out)
}

// UseColours reports whether to print in colour.
func UseColours(a *Env, off bool) bool {
	return a.Terminal && !off && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Day formats the day of a time.
func Day(t time.Time) string { return t.UTC().Format("2006-01-02") }

// CostWords describes the usage and cost of a session by its log.
func CostWords(s *rules.Session) string {
	if len(s.Charter().Models()) == 0 {
		return "none; no model was asked."
	}
	u := s.Spent()
	spent := terminal.Tell("spent", struct {
		council.Usage
		Waited time.Duration
	}{u, time.Duration(u.ElapsedMS) * time.Millisecond})
	r := minutes.Of(s.Events()).Replies().Usage().Cost
	if r == nil || !slices.ContainsFunc(r.Members, func(m minutes.MemberCost) bool { return m.Cost != nil }) {
		return spent + "; what that is in money is not known: docs/costs.md says how to tell council the prices"
	}
	return spent + "; " + r.Words(func(m council.MemberID) string { return string(m) })
}

// BillLines describes the cost of a session so far: by its log, and of paid calls that are not in it.
func BillLines(root *recorder.Root, s *rules.Session) []string {
	lines := []string{"Cost:   " + CostWords(s)}
	b, err := site.ReadBeside(root, s)
	if err != nil {
		return append(lines, fmt.Sprintf("Also paid for: unknown: %v", err))
	}
	return append(lines, b.Words()...)
}

// ReviewText returns parts of the report of a closed session, see [terminal.Report], as wide as the terminal.
func ReviewText(e *Env, r *run.Review, parts ...string) string {
	report := terminal.Report{Minutes: r.Minutes, ID: r.Session.ID(), SHA256: r.SHA256, Rejected: r.Rejected}
	if r.Brief != nil {
		report.Brief = *r.Brief
	}
	text := ""
	for _, part := range parts {
		text += terminal.Tell(part, report)
	}
	return hostile.Terminal(terminal.Fold(text, terminal.Columns(e.Width)))
}

// SaidLines describes a note to all members of a session.
func SaidLines(said run.Said, id council.SessionID) []string {
	lines := CutWords(said.Cut)
	if said.Event == 0 {
		return append(lines, terminal.Sprintf("Session %s is running. The note is kept, and recorded as soon as no question "+
			"is with a member. Each member is told it with its next question; should there be none, the session's end says so.",
			id))
	}
	return append(lines, terminal.Sprintf("The note is %s of session %s. Each member is told it with its next question.",
		said.Event.ID(), id), "Go on with: "+said.GoOn)
}

// RecordLine describes a record of memory on one line.
func RecordLine(r memory.Record) string {
	return terminal.Sprintf("%s: %s, %s. %s", r.ID, r.Kind.Words(), r.Status, r.Told())
}

// PrintForecast prints the forecast of a session.
func PrintForecast(a *Env, f run.Forecast) error {
	fmt.Fprintln(a.Out, "Nobody was asked and nothing was written. A session of this council takes:")
	rows := [][]any{{"", "", "at least", "usually", "at most"}}
	tell := func(name string, least, usual, most budget.Load) {
		row := func(name, what string, say func(budget.Load) string) {
			rows = append(rows, []any{name, what, say(least), say(usual), say(most)})
		}
		row(name, "calls", func(l budget.Load) string { return plural.Thousands(l.Usage.Calls) })
		row("", "tokens", func(l budget.Load) string { return plural.Thousands(l.Usage.Tokens()) })
		row("", "cost", func(l budget.Load) string {
			if !l.Known {
				return "unknown"
			}
			return l.Cost.String()
		})
	}
	for i, m := range f.Charter.Members {
		name := hostile.Words(string(m.ID) + " (" + strings.TrimSuffix(m.Model.Name(), "/") + ")")
		tell(name, f.Least.Members[i], f.Usual.Members[i], f.Most.Members[i])
	}
	tell("all", f.Least.Total, f.Usual.Total, f.Most.Total)
	if err := a.Table(rows...); err != nil {
		return err
	}
	if f.Most.More {
		fmt.Fprintln(a.Out, "At most it takes more: only its first 20,000 questions are counted.")
	}
	if p := f.Pace; f.Charter.AsksModels() {
		fmt.Fprintf(a.Out, "At least %d calls wait for one another (%s), usually %d (%s): %s.\n", f.Least.Steps,
			p.Duration(f.Least).Round(time.Second), f.Usual.Steps, p.Duration(f.Usual).Round(time.Second), p.Words())
	}
	if f.Auto != nil {
		fmt.Fprintf(a.Out, "With --pace auto it usually takes %s, %d of which wait for one another.\n",
			plural.Things(f.Auto.Total.Usage.Calls, "call"), f.Auto.Steps)
	}
	SayPage(a, "notes of a forecast", forecastPage{f.Charter, f})
	return nil
}

type forecastPage struct {
	*council.Charter
	forecast run.Forecast
}

// Dollars writes a price without its currency.
func (forecastPage) Dollars(perMillion float64) string {
	return strings.TrimSuffix(council.Dollars(perMillion).String(), " USD")
}

// reached reports whether a cap suffices for the least, and for the usual, cost.
type reached struct {
	Budget       string
	Least, Usual bool
}

// Reaches says how far the budget goes.
func (p forecastPage) Reaches() (all []reached) {
	least, usual := p.forecast.Least.Total, p.forecast.Usual.Total
	if most := p.Budget.Tokens; most > 0 {
		all = append(all, reached{plural.Things(most, "token"), least.Usage.Tokens() <= most, usual.Usage.Tokens() <= most})
	}
	if most := council.Dollars(p.Budget.USD); most > 0 {
		all = append(all, reached{most.String(), least.Cost <= most, usual.Cost <= most})
	}
	return all
}
