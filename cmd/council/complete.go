package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// completed lists the completions of an argument, by its word in the usage line, and of a flag's value, by "--" and its
// name. Unreadable sources complete to nothing.
var completed = map[string]func(a *cli.Env, folder string, args []string) []string{
	"SESSION":  offerSessions,
	"MEMBER":   offerMembers,
	"--member": offerMembers,
	"--council": func(a *cli.Env, folder string, _ []string) []string {
		names, _ := seat.PlacesOf(a.World, folder).Names()
		return names
	},
	"--model": func(*cli.Env, string, []string) []string {
		return seat.Providers(func(k council.MemberKind) bool { return !k.Person && !k.Unchosen })
	},
	"--format": func(*cli.Env, string, []string) []string { return reading.Formats },
}

// completeArgs lets shells complete the arguments and flags of a command and those below it. Other arguments are files.
func completeArgs(a *cli.Env, cmd *cobra.Command) {
	words := strings.FieldsFunc(cmd.Use, func(r rune) bool { return strings.ContainsRune(" [].", r) })[1:]
	if slices.ContainsFunc(words, func(word string) bool { return completed[word] != nil }) {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			word := ""
			if strings.HasSuffix(cmd.Use, "...") {
				word, args = words[0], nil
			} else if len(args) < len(words) {
				word = words[len(args)]
			}
			return offerValues(a, cmd, word, args)
		}
	}
	flag := func(f *pflag.Flag) {
		if name := "--" + f.Name; completed[name] != nil { // it fails for a flag that has one already
			_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, args []string, _ string) ([]string,
				cobra.ShellCompDirective) {
				return offerValues(a, cmd, name, args)
			})
		}
	}
	cmd.Flags().VisitAll(flag)
	cmd.PersistentFlags().VisitAll(flag) // cobra's LocalFlags would join both, in new sets, at every start
	for _, below := range cmd.Commands() {
		completeArgs(a, below)
	}
}

// offerValues returns the completions of an argument or a flag of a command.
func offerValues(a *cli.Env, cmd *cobra.Command, name string, args []string) (all []string,
	how cobra.ShellCompDirective) {
	folder := site.Home()
	if f := cmd.Flags().Lookup("root"); f != nil {
		folder = cmp.Or(f.Value.String(), folder)
	}
	if do := completed[name]; do != nil {
		all = do(a, folder, args)
		if strings.Contains(cmd.Use, "FILE") { // a file will do too
			return all, cobra.ShellCompDirectiveDefault
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

func offerSessions(a *cli.Env, folder string, _ []string) (all []string) {
	_ = a.InRecord(folder, func(root *recorder.Root) error {
		list, _, err := root.Newest(cli.UsualLimit, nil)
		all = append(all, recorder.Latest+"\tthe latest session")
		for _, s := range list {
			all = append(all, root.Short(s.ID)+"\t"+hostile.Excerpt(s.Topic, 60))
		}
		return err
	})
	return all
}

// offerMembers returns the members of the session that is named, else those of the configuration.
func offerMembers(a *cli.Env, folder string, args []string) (all []string) {
	var c council.Charter
	if read, err := seat.ReadCharter(a.World, seat.Choice{}); err == nil {
		c = read.Charter
	}
	if len(args) > 0 {
		_ = a.InRecord(folder, func(root *recorder.Root) error {
			id, err := root.Find(args[0])
			if session, failed := site.Replay(root, id); err == nil && failed == nil {
				c = *session.Charter()
			}
			return err
		})
	}
	for _, m := range c.Members {
		all = append(all, string(m.ID)+"\t"+hostile.Excerpt(m.Name+", "+m.Role, 60))
	}
	return all
}
