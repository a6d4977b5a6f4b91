package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

// command is a command line that is carried out on an existing record.
type command struct {
	*app
	ctx  context.Context
	cmd  *cobra.Command
	args []string
	json bool // a program reads what is printed
	root *recorder.Root
}

// jsonLines is what --json means to most commands.
const jsonLines = "one JSON object a line"

// verb completes a command that works on an existing record: it has the flag --root, and --json if asJSON, which is the
// help of that flag, is not "".
func (a *app) verb(cmd *cobra.Command, asJSON string, do func(*command) error) *cobra.Command {
	var folder string
	c := &command{app: a}
	cli.RootFlag(cmd.Flags(), &folder)
	if asJSON != "" {
		cmd.Flags().BoolVar(&c.json, "json", false, asJSON)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.InRecord(folder, func(root *recorder.Root) error {
			c.ctx, c.cmd, c.args, c.root = cmd.Context(), cmd, args, root
			return do(c)
		})
	}
	return cmd
}

// sessionVerb is verb for the session that the first argument names, else the latest.
func (a *app) sessionVerb(cmd *cobra.Command, asJSON string,
	do func(*command, council.SessionID) error) *cobra.Command {
	return a.verb(cmd, asJSON, func(c *command) error {
		id, err := c.root.Find(cli.NameOf(c.args[:min(1, len(c.args))]))
		if err != nil {
			return err
		}
		return do(c, id)
	})
}

// show prints something for programs as a line of JSON, or calls words.
func (c *command) show(v any, words func()) {
	if c.json {
		c.JSON(v)
	} else {
		words()
	}
}

// listing is what a command lists: for programs a line of JSON each, for people a table.
type listing struct {
	*app
	json  bool
	heads []any
	rows  [][]any
}

// list begins a list with the heads of its columns, if it has any.
func (a *app) list(asJSON bool, heads ...any) *listing {
	return &listing{app: a, json: asJSON, heads: heads}
}

// add adds a thing with its cells. A line of JSON is printed at once.
func (l *listing) add(thing any, cells ...any) {
	if l.json {
		l.JSON(thing)
	} else {
		l.rows = append(l.rows, cells)
	}
}

// print prints the table, or none where nothing was added.
func (l *listing) print(none string) error {
	switch {
	case l.json:
		return nil
	case len(l.rows) == 0:
		_, err := fmt.Fprintln(l.Out, none)
		return err
	case len(l.heads) > 0:
		l.rows = slices.Insert(l.rows, 0, l.heads)
	}
	return l.Table(l.rows...)
}

// joined joins those words that are not empty.
func joined(between string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), between)
}
