package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/names"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/site"
)

// Command is a running command with its open record, unless it is a [PlainVerb].
type Command struct {
	*Env
	Ctx    context.Context
	Cmd    *cobra.Command
	Args   []string
	AsJSON bool // --json was given
	Root   *recorder.Root

	Workspace *workspace.Workspace // of the record
}

// Verb makes cmd a command on an existing record: it adds the flag --root, and calls do with the record open.
func Verb(a *Env, cmd *cobra.Command, do func(*Command) error) *cobra.Command {
	return VerbIn(a, cmd, func(_ *Command, folder string, do func(*recorder.Root) error) error {
		return a.InRecord(folder, do)
	}, do)
}

// VerbIn is Verb with another way to open the record, which may do without it.
func VerbIn(a *Env, cmd *cobra.Command, open func(*Command, string, func(*recorder.Root) error) error,
	do func(*Command) error) *cobra.Command {
	var folder string
	RootFlag(cmd.Flags(), &folder)
	return PlainVerb(a, cmd, func(c *Command) error {
		return open(c, folder, func(root *recorder.Root) error {
			c.Root, c.Workspace = root, workspace.In(a.World, root)
			return do(c)
		})
	})
}

// PlainVerb makes cmd a command that calls do without a record.
func PlainVerb(a *Env, cmd *cobra.Command, do func(*Command) error) *cobra.Command {
	if help, ok := cmd.Annotations[jsonFlag]; ok {
		cmd.Flags().Bool(jsonFlag, false, help)
	}
	cmd.Args, cmd.RunE = AsUsed, func(cmd *cobra.Command, args []string) error {
		asJSON, _ := cmd.Flags().GetBool(jsonFlag) // false without such a flag
		return do(&Command{Env: a, Ctx: cmd.Context(), Cmd: cmd, Args: args, AsJSON: asJSON})
	}
	return cmd
}

const jsonFlag = "json"

// JSON is the annotation of a verb that has the flag --json, with its help.
func JSON(help string) map[string]string { return map[string]string{jsonFlag: help} }

// JSONLines is [JSON] for a list.
var JSONLines = JSON("one JSON object a line")

// SessionVerb is Verb for the session in the first argument, else the latest.
func SessionVerb(a *Env, cmd *cobra.Command, do func(*Command, council.SessionID) error) *cobra.Command {
	return Verb(a, cmd, With(SessionOf, do))
}

// SessionOf finds the session in the first argument, else the latest.
func SessionOf(c *Command) (council.SessionID, error) {
	return c.Root.Find(NameOf(c.Args[:min(1, len(c.Args))]))
}

// With returns what a verb does that needs something of the record first.
func With[T any](open func(*Command) (T, error), do func(*Command, T) error) func(*Command) error {
	return func(c *Command) error {
		needed, err := open(c)
		if err != nil {
			return err
		}
		return do(c, needed)
	}
}

// Show prints v with --json, else calls words.
func (c *Command) Show(v any, words func()) {
	if c.AsJSON {
		c.JSON(v)
	} else {
		words()
	}
}

// Listing prints a list: JSON lines, or a table for people.
type Listing struct {
	*Env
	json  bool
	heads []any
	Rows  [][]any
}

// NewList begins a list with the heads of its columns, if any.
func NewList(a *Env, asJSON bool, heads ...any) *Listing {
	return &Listing{Env: a, json: asJSON, heads: heads}
}

// Add prints a thing as JSON, or adds its cells to the table.
func (l *Listing) Add(thing any, cells ...any) {
	if l.json {
		l.JSON(thing)
	} else {
		l.Rows = append(l.Rows, cells)
	}
}

// Print prints the table, or the text none if it is empty.
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

// NewGroup makes cmd a command that only groups others.
func NewGroup(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = AsUsed, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(verbs...)
	return cmd
}

// Usage returns err as a usage error that points at the command's help.
func Usage(cmd *cobra.Command, err error) error {
	return &site.Error{Code: site.Invalid, Problem: err.Error(), Hint: "Run: " + cmd.CommandPath() + " --help"}
}

// FlagError returns an error of reading flags as a usage error, and suggests the nearest flag for an unknown one.
func FlagError(cmd *cobra.Command, err error) error {
	if value := new(pflag.InvalidValueError); errors.As(err, &value) { // PlainFlags says it better
		return err
	}
	hint := "Run: " + cmd.CommandPath() + " --help"
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		hint = site.DidYouMean("--"+unknown.GetSpecifiedName(), known, hint)
	}
	return site.Refuse(err.Error(), hint)
}

// AsUsed returns a usage error unless the arguments fit the usage line: [...] is optional, and "..." allows any number.
func AsUsed(cmd *cobra.Command, args []string) error {
	_, usage, _ := strings.Cut(cmd.Use, " ")
	needed, _, _ := strings.Cut(usage, "[")
	least, most := len(strings.Fields(needed)), len(strings.Fields(strings.ReplaceAll(usage, " | ", "|")))
	switch {
	case len(args) < least, least > 0 && strings.TrimSpace(args[0]) == "":
		return Usage(cmd, errors.New(cmd.Name()+" needs "+usage))
	case len(args) <= most, strings.HasSuffix(usage, "..."):
		return nil
	case cmd.HasSubCommands():
		return noCommand(cmd, args[0])
	}
	return Usage(cmd, fmt.Errorf("%s takes %s, but got %s; quote what has spaces", cmd.Name(),
		cmp.Or(usage, "no argument"), site.Quote(args[most])))
}

// noCommand returns the error for an unknown command, which suggests the nearest topic of help, else convene for a
// question, else the command with that name in other programs or in one group, else the nearest command.
func noCommand(cmd *cobra.Command, name string, topics ...string) error {
	if topic, ok := names.Nearest(name, slices.Values(topics)); ok {
		return site.Refuse("there is no command or page "+site.Quote(name), "Did you mean council help "+topic+"?")
	}
	path, hint := cmd.CommandPath(), ""
	var known, below []string
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, name) {
			hint = "Did you mean " + c.CommandPath() + "? Run: " + path + " --help"
		} else if c.IsAvailableCommand() {
			known = append(known, path+" "+c.Name())
		}
		for _, c := range c.Commands() {
			if c.Name() == name {
				below = append(below, c.CommandPath())
			}
		}
	}
	switch {
	case strings.ContainsAny(strings.TrimSpace(name), " ?") && !cmd.HasParent():
		hint = "Did you mean council convene " + site.Quote(name) + "?"
	case hint == "" && len(below) == 1:
		hint = "Did you mean " + below[0] + "? Run: " + below[0] + " --help"
	case hint == "":
		hint = site.DidYouMean(path+" "+name, known, "Run: "+path+" --help")
	}
	return site.Refuse("there is no command "+site.Quote(name), hint)
}

// HelpAll is the argument of council help, and of the root's help function, for all commands.
const HelpAll = "all"

// Help returns the command help, for other commands and for pages of the documentation with the names in topics.
func Help(topics []string, page func(ctx context.Context, topic string) error) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Print the help of a command, or a page of the documentation",
		Long: "help prints the help of a command, or a page of the documentation. The pages are:\n" + site.Join(topics) +
			".\nWhere a command has the name too, add .md: council help memory.md. council help " + HelpAll +
			" lists all commands.",
		ValidArgs: append(slices.Clone(topics), HelpAll),
		RunE: func(help *cobra.Command, args []string) error {
			if slices.Equal(args, []string{HelpAll}) {
				help.Root().HelpFunc()(help.Root(), args)
				return nil
			}
			cmd, rest, _ := help.Root().Find(args) // rest has the unknown words
			if len(rest) == 0 || !cmd.HasSubCommands() {
				return cmd.Help()
			}
			if topic := strings.TrimSuffix(rest[0], ".md"); len(args) == 1 && slices.Contains(topics, topic) {
				return page(help.Context(), topic)
			}
			return noCommand(cmd, rest[0], topics...)
		},
	}
}

// NotBlank returns a usage error for an empty flag, which would be taken as not given. Only --detail may be empty.
func NotBlank(cmd *cobra.Command) (err error) {
	blank := func(value string) bool { return strings.TrimSpace(value) == "" }
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		if f.Name != "detail" && slices.ContainsFunc(values, blank) {
			err = cmp.Or(err, Usage(cmd, errors.New("--"+f.Name+" was given without a value")))
		}
	})
	return err
}

// bothGiven matches the flag library's error for flags that exclude each other.
var bothGiven = regexp.MustCompile(`^if any flags in the group .* \[(\S+) (.+)\] were all set$`)

// PlainFlags rewrites the errors of the flag library in plain words.
func PlainFlags(err error) error {
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return site.Refuse("--"+value.GetFlag().Name+" is "+KindWords(value.GetFlag())+", not "+site.Quote(value.GetValue()),
			"Nothing was done.")
	}
	if err == nil {
		return nil
	}
	if both := bothGiven.FindStringSubmatch(err.Error()); both != nil {
		return site.Refuse("--"+both[1]+" and --"+strings.ReplaceAll(both[2], " ", " and --")+" exclude each other",
			"Leave one of them out.")
	}
	return err
}
