package main

import (
	_ "embed"
	"strings"
	"sync"

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
	s, found := sections()[path]
	if !found {
		panic("council: manual.txt has no section on " + path)
	}
	return &cobra.Command{Use: s.use, Short: s.short, Long: s.long, Example: s.example, Args: args}
}

// section is what the manual says of one command.
type section struct{ use, short, long, example string }

// sections are looked up by the names of commands, as in "memory add": what begins a heading in small letters.
var sections = sync.OnceValue(func() map[string]section {
	all := map[string]section{}
	_, sections, _ := strings.Cut(manual, "\n== ")
	for s := range strings.SplitSeq(sections, "\n== ") {
		heading, text, _ := strings.Cut(s, "\n")
		names := heading
		if at := strings.IndexFunc(heading, func(r rune) bool { return (r < 'a' || r > 'z') && r != ' ' }); at >= 0 {
			names = strings.TrimSpace(heading[:at])
		}
		text, examples, _ := strings.Cut(text, "\nExamples:\n")
		short, long, _ := strings.Cut(text, "\n")
		all[names] = section{use: heading[strings.LastIndex(names, " ")+1:], short: short, long: strings.TrimSpace(long),
			example: strings.TrimRight(examples, "\n")}
	}
	return all
})

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
