package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

// completed says what a shell offers for an argument, by its word in the line of usage, and for the value of a flag, by
// its name with dashes. What cannot be read is not offered.
var completed = map[string]func(a *app, folder string, args []string) []string{
	"SESSION":   (*app).offerSessions,
	"MEMBER":    (*app).offerMembers,
	"--member":  (*app).offerMembers,
	"--council": (*app).offerCouncils,
	"--model":   (*app).offerModels,
	"--format":  func(*app, string, []string) []string { return exportFormats },
}

// complete lets shells complete the arguments and flags of a command and of those below it. Other arguments are files.
func (a *app) complete(cmd *cobra.Command) {
	complete := func(name string) cobra.CompletionFunc {
		do := completed[name]
		if do == nil {
			return nil
		}
		return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			folder := cli.Home()
			if f := cmd.Flags().Lookup("root"); f != nil {
				folder = cmp.Or(f.Value.String(), folder)
			}
			if strings.Contains(cmd.Use, "FILE") { // a file will do too
				return do(a, folder, args), cobra.ShellCompDirectiveDefault
			}
			return do(a, folder, args), cobra.ShellCompDirectiveNoFileComp
		}
	}
	var places []cobra.CompletionFunc
	for _, word := range strings.Fields(cmd.Use)[1:] {
		places = append(places, complete(strings.Trim(word, "[].")))
	}
	if slices.ContainsFunc(places, func(f cobra.CompletionFunc) bool { return f != nil }) {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if at := len(args); strings.HasSuffix(cmd.Use, "...") {
				return places[0](cmd, nil, typed)
			} else if at < len(places) && places[at] != nil {
				return places[at](cmd, args, typed)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if do := complete("--" + f.Name); do != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, do) // it fails for a flag that has one already
		}
	})
	for _, below := range cmd.Commands() {
		a.complete(below)
	}
}

// offerSessions returns the newest sessions, with their topics.
func (a *app) offerSessions(folder string, _ []string) (all []string) {
	_ = a.InRecord(folder, func(root *recorder.Root) error {
		list, _, err := root.Newest(usualLimit, nil)
		all = append(all, recorder.Latest+"\tthe latest session")
		for _, s := range list {
			all = append(all, root.Short(s.ID)+"\t"+terminal.Short(s.Topic, 60))
		}
		return err
	})
	return all
}

// offerMembers returns the members of the session that is named, else those of the configuration.
func (a *app) offerMembers(folder string, args []string) (all []string) {
	var c council.Charter
	if read, err := a.readCharter(charterFlags{}); err == nil {
		c = read.charter
	}
	if len(args) > 0 {
		_ = a.InRecord(folder, func(root *recorder.Root) error {
			id, err := root.Find(args[0])
			if session, failed := replay(root, id); err == nil && failed == nil {
				c = *session.Charter()
			}
			return err
		})
	}
	for _, m := range c.Members {
		all = append(all, string(m.ID)+"\t"+terminal.Short(m.Name+", "+m.Role, 60))
	}
	return all
}

func (a *app) offerCouncils(folder string, _ []string) []string {
	names, _ := a.councilPlaces(folder).names()
	return names
}

func (a *app) offerModels(string, []string) (all []string) {
	for _, k := range council.MemberKinds() {
		if !k.Person && !k.Unchosen {
			all = append(all, k.Provider)
		}
	}
	return all
}
