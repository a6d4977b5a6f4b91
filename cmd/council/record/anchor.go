// Package record has the verbs that check and look after the record.
package record

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/anchor"
)

// NewAnchor returns the command anchor.
func NewAnchor(a *cli.Env) *cobra.Command {
	var key bool
	cmd := cli.SessionVerb(a, "anchor", func(c *cli.Command, id council.SessionID) error {
		entries, err := c.Root.Read(id)
		if err != nil {
			return err
		}
		note, err := a.SignAnchor(id, anchor.NewTree(id, entries))
		if err == nil {
			_, err = a.Out.Write(note)
		}
		return err
	})
	inRecord := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case !key:
			return inRecord(cmd, args)
		case len(args) > 0:
			return cli.Usage(cmd, errors.New("--key is this machine's and takes no session"))
		}
		_, own, err := a.AnchorKey()
		if err == nil {
			fmt.Fprintln(a.Out, own.Verifier)
		}
		return err
	}
	cli.AddFlags(cmd.Flags(), cli.Flags{"key": &key})
	return cmd
}
