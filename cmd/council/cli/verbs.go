package cli

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

// Command is a command line that is carried out on an existing record.
type Command struct {
	*Env
	Ctx    context.Context
	Cmd    *cobra.Command
	Args   []string
	AsJSON bool // a program reads what is printed
	Root   *recorder.Root
}

// Verb makes cmd a command that works on an existing record: it gets the flag --root, and do is called with the record
// open. [Command.AsJSON] is the flag --json of cmd, if it has one.
func Verb(a *Env, cmd *cobra.Command, do func(*Command) error) *cobra.Command {
	return VerbIn(a, cmd, a.InRecord, do)
}

// VerbIn is Verb for a record that open opens.
func VerbIn(a *Env, cmd *cobra.Command, open func(string, func(*recorder.Root) error) error,
	do func(*Command) error) *cobra.Command {
	var folder string
	RootFlag(cmd.Flags(), &folder)
	cmd.Args, cmd.RunE = AsUsed, func(cmd *cobra.Command, args []string) error {
		return open(folder, func(root *recorder.Root) error {
			asJSON, _ := cmd.Flags().GetBool("json") // an error: there is no such flag
			return do(&Command{Env: a, Ctx: cmd.Context(), Cmd: cmd, Args: args, AsJSON: asJSON, Root: root})
		})
	}
	return cmd
}

// SessionVerb is Verb for the session that the first argument names, else the latest.
func SessionVerb(a *Env, cmd *cobra.Command, do func(*Command, council.SessionID) error) *cobra.Command {
	return Verb(a, cmd, func(c *Command) error {
		id, err := c.Root.Find(NameOf(c.Args[:min(1, len(c.Args))]))
		if err != nil {
			return err
		}
		return do(c, id)
	})
}

// Show prints something for programs as a line of JSON, or calls words.
func (c *Command) Show(v any, words func()) {
	if c.AsJSON {
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

// NewGroup makes cmd a command that does nothing but have others.
func NewGroup(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = AsUsed, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(verbs...)
	return cmd
}
