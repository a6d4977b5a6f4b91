package cli

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace"
)

// Command is a running command with its open record.
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
	return VerbIn(a, cmd, a.InRecord, do)
}

// VerbIn is Verb with another way to open the record.
func VerbIn(a *Env, cmd *cobra.Command, open func(string, func(*recorder.Root) error) error,
	do func(*Command) error) *cobra.Command {
	var folder string
	RootFlag(cmd.Flags(), &folder)
	cmd.Args, cmd.RunE = AsUsed, func(cmd *cobra.Command, args []string) error {
		return open(folder, func(root *recorder.Root) error {
			asJSON, _ := cmd.Flags().GetBool("json") // false without such a flag
			return do(&Command{Env: a, Ctx: cmd.Context(), Cmd: cmd, Args: args, AsJSON: asJSON, Root: root,
				Workspace: workspace.In(a.World, root)})
		})
	}
	return cmd
}

// SessionVerb is Verb for the session in the first argument, else the latest.
func SessionVerb(a *Env, cmd *cobra.Command, do func(*Command, council.SessionID) error) *cobra.Command {
	return Verb(a, cmd, func(c *Command) error {
		id, err := c.Root.Find(NameOf(c.Args[:min(1, len(c.Args))]))
		if err != nil {
			return err
		}
		return do(c, id)
	})
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
