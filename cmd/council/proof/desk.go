// Package proof holds the commands that show what a record is worth: verify, replay, rebuild, anchor and fsck.
package proof

import (
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
)

// Desk is where a record is proved.
type Desk struct{ desk.Desk }

// Commands are the commands of the desk.
func (d Desk) Commands() []*cobra.Command {
	return []*cobra.Command{d.newVerify(), d.newReplay(), d.newRebuild(), d.newAnchor(), d.newFsck()}
}
