package main

import (
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

func (a *app) newReplay() *cobra.Command {
	var root string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay [SESSION]",
		Short: "Run the rules again from the recorded replies, and compare",
		Long: `replay writes the log of a session (the latest, unless one is named) again, without a network: it reads the members'
replies in the conversations, lets the rules draw every consequence, and compares the log and every file that is
rendered from it, byte for byte. Nothing is changed.`,
		Args: cli.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.InSession(root, args, func(r *recorder.Root, id council.SessionID) error {
				return a.prove(id, asJSON, r.Replay)
			})
		},
	}
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}
