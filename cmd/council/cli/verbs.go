package cli

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

// Command is a command line that is carried out on an existing record.
type Command struct {
	*Env
	Ctx  context.Context
	Cmd  *cobra.Command
	Args []string
	Json bool // a program reads what is printed
	Root *recorder.Root
}

// Verb returns a command that works on an existing record. It has the flag --root, and --json where the section on it
// says what that prints.
func Verb(a *Env, path string, do func(*Command) error) *cobra.Command {
	return VerbIn(a, path, a.InRecord, do)
}

// VerbIn is verb with what opens the record.
func VerbIn(a *Env, path string, open func(string, func(*recorder.Root) error) error,
	do func(*Command) error) *cobra.Command {
	var folder string
	c := &Command{Env: a}
	cmd := Standalone(path, func(cmd *cobra.Command, args []string) error {
		return open(folder, func(root *recorder.Root) error {
			c.Ctx, c.Cmd, c.Args, c.Root = cmd.Context(), cmd, args, root
			return do(c)
		})
	})
	RootFlag(cmd.Flags(), &folder)
	if _, found := sections()[path].flags["json"]; found {
		return WithFlags(Flags{"json": &c.Json}, cmd)
	}
	return cmd
}

// SessionVerb is verb for the session that the first argument names, else the latest.
func SessionVerb(a *Env, path string, do func(*Command, council.SessionID) error) *cobra.Command {
	return Verb(a, path, func(c *Command) error {
		id, err := c.Root.Find(NameOf(c.Args[:min(1, len(c.Args))]))
		if err != nil {
			return err
		}
		return do(c, id)
	})
}

// Show prints something for programs as a line of JSON, or calls words.
func (c *Command) Show(v any, words func()) {
	if c.Json {
		c.JSON(v)
	} else {
		words()
	}
}

// Listing is what a command lists: for programs a line of JSON each, for people a table.
type Listing struct {
	*Env
	json  bool
	heads []any
	Rows  [][]any
}

// NewList begins a list with the heads of its columns, if it has any.
func NewList(a *Env, asJSON bool, heads ...any) *Listing {
	return &Listing{Env: a, json: asJSON, heads: heads}
}

// Add adds a thing with its cells. A line of JSON is printed at once.
func (l *Listing) Add(thing any, cells ...any) {
	if l.json {
		l.JSON(thing)
	} else {
		l.Rows = append(l.Rows, cells)
	}
}

// Print prints the table, or none where nothing was added.
func (l *Listing) Print(none string) error {
	switch {
	case l.json:
		return nil
	case len(l.Rows) == 0:
		_, err := fmt.Fprintln(l.Out, none)
		return err
	case len(l.heads) > 0:
		l.Rows = slices.Insert(l.Rows, 0, l.heads)
	}
	return l.Table(l.Rows...)
}

// Manual has what --help says of each command, in the order in which the commands are listed. A section begins with a
// line "== COMMAND ARGUMENTS"; the next line says in short what the command does. Then come the text, after a line
// "Flags:" its flags, and after a line "Examples:" what one may type. Flags before the first section are those that
// several commands have.
//
//go:embed manual.txt
var Manual string

// section is what the manual says of one command.
type section struct {
	use, short, long, example string
	flags                     map[string]string
}

// sections are looked up by the names of commands, as in "memory add": what begins a heading in small letters.
var sections = sync.OnceValue(func() map[string]section {
	common, sections, _ := strings.Cut(Manual, "\n== ")
	all := map[string]section{"": {flags: flagWords(common)}}
	for s := range strings.SplitSeq(sections, "\n== ") {
		heading, text, _ := strings.Cut(s, "\n")
		names := heading
		if at := strings.IndexFunc(heading, func(r rune) bool { return (r < 'a' || r > 'z') && r != ' ' }); at >= 0 {
			names = strings.TrimSpace(heading[:at])
		}
		text, examples, _ := strings.Cut(text, "\nExamples:\n")
		text, flags, _ := strings.Cut(text, "\nFlags:\n")
		short, long, _ := strings.Cut(text, "\n")
		all[names] = section{use: heading[strings.LastIndex(names, " ")+1:], short: short, long: strings.TrimSpace(long),
			example: strings.TrimRight(examples, "\n"), flags: flagWords("\n" + flags)}
	}
	return all
})

// flagWords reads what is said of flags: "--NAME  words", on as many lines as it takes.
func flagWords(text string) map[string]string {
	all := map[string]string{}
	for _, one := range strings.Split(text, "\n  --")[1:] {
		name, words, _ := strings.Cut(one, " ")
		all[name] = strings.Join(strings.Fields(words), " ")
	}
	return all
}

// Flags are flags by their names: pointers to what they set.
type Flags map[string]any

// AddFlags adds flags of which the manual says what they do. What they set now is their default.
func AddFlags(f *pflag.FlagSet, all Flags) {
	for name, to := range all {
		switch to := to.(type) {
		case *string:
			f.StringVar(to, name, *to, "")
		case *bool:
			f.BoolVar(to, name, *to, "")
		case *int:
			f.IntVar(to, name, *to, "")
		case *int64:
			f.Int64Var(to, name, *to, "")
		case *float64:
			f.Float64Var(to, name, *to, "")
		case *time.Duration:
			f.DurationVar(to, name, *to, "")
		case *[]string:
			f.StringArrayVar(to, name, *to, "")
		default:
			panic(fmt.Sprintf("council: --%s sets a %T", name, to))
		}
	}
}

// DescribeFlags gives the flags of a command and of those below it their words. It panics for one that has none.
func DescribeFlags(cmd *cobra.Command) {
	own, common := sections()[strings.TrimPrefix(cmd.CommandPath(), "council ")].flags, sections()[""].flags
	describe := func(f *pflag.Flag) {
		if f.Usage = cmp.Or(f.Usage, own[f.Name], common[f.Name]); f.Usage == "" {
			panic("council: manual.txt does not say what " + cmd.CommandPath() + " --" + f.Name + " does")
		}
	}
	cmd.Flags().VisitAll(describe)
	cmd.PersistentFlags().VisitAll(describe)
	for _, below := range cmd.Commands() {
		DescribeFlags(below)
	}
}

// WithFlags adds flags to a command, and returns it.
func WithFlags(all Flags, cmd *cobra.Command) *cobra.Command {
	AddFlags(cmd.Flags(), all)
	return cmd
}

// Standalone returns a command that needs no record, or finds it by itself, with what the manual says of it and the
// arguments that its heading there names. It panics for one that the manual does not have.
func Standalone(path string, run func(*cobra.Command, []string) error) *cobra.Command {
	s, found := sections()[path]
	if !found {
		panic("council: manual.txt has no section on " + path)
	}
	return &cobra.Command{Use: s.use, Short: s.short, Long: s.long, Example: s.example, Args: AsUsed, RunE: run}
}

// NewGroup returns a command that does nothing but have others.
func NewGroup(path string, verbs ...*cobra.Command) *cobra.Command {
	cmd := Standalone(path, func(cmd *cobra.Command, _ []string) error { return cmd.Help() })
	cmd.AddCommand(verbs...)
	return cmd
}
