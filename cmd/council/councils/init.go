package councils

import (
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
)

func (d Desk) newInit() *cobra.Command {
	name := Usual()
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a " + desk.ConfigFile + " to start from",
		Long: "init copies a council to " + desk.ConfigFile + " in this folder, for you to change: members, models, phases, rules.\n" +
			"council convene reads it from then on. An existing file is left alone.",
		Args: desk.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			found, err := Places{Getenv: d.Getenv}.Find(name)
			if err != nil {
				return err
			}
			if err := create(desk.ConfigFile, found.Doc); err != nil {
				return err
			}
			d.vouch(found, found.Doc)
			d.say("Wrote %s from the %s.\nChange it, then run: council convene \"your topic\"", desk.ConfigFile, found.From())
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "council", name, "council to copy, ready-made or your own; council councils list has them")
	return cmd
}
