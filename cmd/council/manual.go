package main

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
)

// manual has what --help says of each command, in the order in which the commands are listed. A section begins with a
// line "== COMMAND ARGUMENTS"; the next line says in short what the command does. Then come the text, and after a line
// "Examples:" what one may type.
//
//go:embed manual.txt
var manual string

// described returns a command with what the manual says of it. It panics for one that the manual does not have.
func described(path string, args cobra.PositionalArgs) *cobra.Command {
	use := path[strings.LastIndex(path, " ")+1:]
	_, section, found := strings.Cut(manual, "\n== "+path+"\n")
	if !found {
		var takes string
		_, section, found = strings.Cut(manual, "\n== "+path+" ")
		takes, section, _ = strings.Cut(section, "\n")
		use += " " + takes
	}
	if !found {
		panic("council: manual.txt has no section on " + path)
	}
	section, _, _ = strings.Cut(section, "\n== ")
	text, examples, _ := strings.Cut(section, "\nExamples:\n")
	short, long, _ := strings.Cut(text, "\n")
	return &cobra.Command{Use: use, Short: short, Long: strings.TrimSpace(long),
		Example: strings.TrimRight(examples, "\n"), Args: args}
}

// standalone is described for a command that needs no record, or finds it by itself.
func standalone(path string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	cmd := described(path, args)
	cmd.RunE = run
	return cmd
}

// newGroup returns a command that does nothing but have others.
func newGroup(path string, verbs ...*cobra.Command) *cobra.Command {
	cmd := standalone(path, cli.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() })
	cmd.AddCommand(verbs...)
	return cmd
}
