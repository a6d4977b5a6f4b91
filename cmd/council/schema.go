package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/schemas"
)

func (a *app) newSchema() *cobra.Command {
	var asJSON bool
	cmd := standalone("schema", cli.AtMostOne, func(_ *cobra.Command, args []string) error {
		names := schemas.Names()
		if len(args) == 0 {
			l := a.list(asJSON)
			for _, name := range names {
				doc, _ := schemas.Get(name)
				of := struct {
					Name  string `json:"name"`
					Title string `json:"title"`
				}{Name: name}
				_ = json.Unmarshal(doc, &of) // it is embedded
				l.add(of, name, of.Title)
			}
			return l.print("")
		}
		doc, ok := schemas.Get(args[0])
		if !ok {
			return cli.Refuse("there is no schema "+cli.Quote(args[0]),
				cli.DidYouMean(args[0], names, "council schema lists them."))
		}
		fmt.Fprintf(a.Out, "%s\n", doc)
		return nil
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, jsonLines+", where they are listed")
	return cmd
}
