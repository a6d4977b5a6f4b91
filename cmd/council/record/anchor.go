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
	cmd := cli.SessionVerb(a, &cobra.Command{Use: "anchor [SESSION]",
		Short: "Print a signed note that vouches for a session as it stands",
		Long: `
anchor prints a note that says how many events a session has (the latest, unless one is named) and what they hash
to, signed with this machine's key. Paste it into a commit or send it to a friend: council verify --anchor FILE holds
the record against it later, and finds every change to these events.

The record is tamper-evident with it, not tamper-proof: whoever owns the key and every copy of the anchors can rewrite
all of them, and nothing vouches for what happens after the last anchor. The key and a copy of every anchor are kept
outside the record, in $XDG_STATE_HOME/council (~/.local/state/council).`,
	}, func(c *cli.Command, id council.SessionID) error {
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
	cmd.Flags().BoolVar(&key, "key", false, "print the verifier key, which others need to check the signature")
	return cmd
}
