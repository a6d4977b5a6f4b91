// Package councils finds councils by their names, and holds the commands that show them, make new ones and check them.
package councils

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/templates"
)

// Usual is the council that is taken when nobody named one.
func Usual() string { return templates.Councils()[0] }

// Desk is where councils are kept.
type Desk struct {
	desk.Desk
	Trust func(*council.Charter) // notes that the user trusts what a charter names
}

// Commands are the commands of the desk.
func (d Desk) Commands() []*cobra.Command { return []*cobra.Command{d.newInit(), d.newCouncils()} }

func (d Desk) newCouncils() *cobra.Command {
	var root string
	cmd := &cobra.Command{
		Use:   "councils",
		Short: "List, show, make and check councils",
		Long: `councils looks after the councils that convene --council takes by name: the ready-made ones, and your own in
.council/councils/NAME.json and, for all workspaces, in councils/NAME.json of ~/.config/council. The nearest of a name wins.`,
		Args: desk.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&root, "root", desk.DefaultRoot, "folder of the record, which holds your councils of this workspace")
	places := func() Places { return Places{Root: root, Getenv: d.Getenv} }
	cmd.AddCommand(d.newList(places), d.newShow(places), d.newNew(places), d.newCheck(places))
	return cmd
}

// say prints a line. Texts in it may come from anywhere: none of them makes a line that looks like one of ours.
func (d Desk) say(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = terminal.Words(text)
		}
	}
	fmt.Fprintln(d.Out, terminal.Sprintf(format, args...))
}

// vouch notes that the user trusts what a council names that was copied at the user's wish, unless the one that it was
// copied from lay in the working folder.
func (d Desk) vouch(from Council, doc []byte) {
	if c, err := config.Parse(doc); err == nil && from.Own {
		d.Trust(&c)
	}
}
