package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/internal/nearest"
	"github.com/council-engine/council/schemas"
)

func (a *app) newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print a JSON Schema, or list them",
		Long:  "Without a name, schema lists the JSON Schemas (draft 2020-12) of every file and reply. With one, it prints it.",
		Args:  atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			names := schemas.Names()
			if len(args) == 0 {
				for _, name := range names {
					fmt.Fprintln(a.stdout, name)
				}
				return nil
			}
			doc, ok := schemas.Get(args[0])
			if !ok {
				return &usageError{"there is no schema " + quote(args[0]), didYouMean(args[0], names, "council schema lists them.")}
			}
			fmt.Fprintf(a.stdout, "%s\n", doc)
			return nil
		},
	}
}

// didYouMean suggests the nearest of the known names, else falls back to a general hint.
func didYouMean(name string, known []string, otherwise string) string {
	if n, ok := nearest.To(name, slices.Values(known)); ok {
		return "Did you mean " + n + "? " + otherwise
	}
	return otherwise
}
