package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/schemas"
)

func (a *app) newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print a JSON Schema, or list them",
		Long: "Without a name, schema lists the JSON Schemas (draft 2020-12) of every file and reply. With one, it prints " +
			"it.",
		Args: cli.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			names := schemas.Names()
			if len(args) == 0 {
				for _, name := range names {
					fmt.Fprintln(a.Out, name)
				}
				return nil
			}
			doc, ok := schemas.Get(args[0])
			if !ok {
				return cli.Refuse("there is no schema "+cli.Quote(args[0]),
					cli.DidYouMean(args[0], names, "council schema lists them."))
			}
			fmt.Fprintf(a.Out, "%s\n", doc)
			return nil
		},
	}
}
