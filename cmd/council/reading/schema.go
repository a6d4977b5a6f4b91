package reading

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/schemas"
)

func (d Desk) newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print a JSON Schema, or list them",
		Long:  "Without a name, schema lists the JSON Schemas (draft 2020-12) of every file and reply. With one, it prints it.",
		Args:  desk.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			names := schemas.Names()
			if len(args) == 0 {
				for _, name := range names {
					fmt.Fprintln(d.Out, name)
				}
				return nil
			}
			doc, ok := schemas.Get(args[0])
			if !ok {
				return desk.Refuse("there is no schema "+desk.Quote(args[0]), desk.DidYouMean(args[0], names, "council schema lists them."))
			}
			fmt.Fprintf(d.Out, "%s\n", doc)
			return nil
		},
	}
}
