package main

import (
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
)

func (a *app) newInit() *cobra.Command {
	name := usualCouncil()
	var adopt bool
	var root string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a " + cli.ConfigFile + " to start from",
		Long: "init copies a council to " + cli.ConfigFile +
			" in this folder, for you to change: members, models, phases, rules.\n" +
			"council convene reads it from then on. An existing file is left alone.\n\n" +
			"With --adopt it takes over the folder of a roundtable instead: its sessions are listed, shown and found by\n" +
			"recall, and what its council and members remembered is remembered, with its dates. Its files are kept as\n" +
			"they are, in .council/roundtable.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if adopt {
				return a.adopt(cmd.Context(), root)
			}
			found, err := a.councilPlaces("").find(name)
			if err != nil {
				return err
			}
			if err := createFile(cli.ConfigFile, found.doc); err != nil {
				return err
			}
			a.keepTrust(found, found.doc)
			a.sayWords("Wrote %s from the %s.\nChange it, then run: council convene \"your topic\"", cli.ConfigFile,
				found.from())
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "council", name,
		"council to copy, ready-made or your own; council councils list has them")
	cmd.Flags().BoolVar(&adopt, "adopt", false, "take over the record of roundtable that is in the folder of the record")
	cmd.Flags().StringVar(&root, "root", "",
		"with --adopt: folder of the record (default: what the configuration says, else "+cli.DefaultRoot+")")
	cmd.MarkFlagsMutuallyExclusive("adopt", "council")
	return cmd
}
