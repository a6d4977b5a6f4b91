package main

import (
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
)

func (a *app) newInit() *cobra.Command {
	name := usualCouncil()
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a " + cli.ConfigFile + " to start from",
		Long: "init copies a council to " + cli.ConfigFile +
			" in this folder, for you to change: members, models, phases, rules.\n" +
			"council convene reads it from then on. An existing file is left alone.",
		Args: cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
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
	return cmd
}
