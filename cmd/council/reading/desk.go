// Package reading holds the commands that show what there is and change nothing: sessions, show and schema.
package reading

import (
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
)

// Desk is where a record is read.
type Desk struct{ desk.Desk }

// Commands are the commands of the desk.
func (d Desk) Commands() []*cobra.Command {
	return []*cobra.Command{d.newSessions(), d.newShow(), d.newSchema()}
}
