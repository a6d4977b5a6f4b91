package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyFlag types poison wherever the command takes something.
func (b *badlands) everyFlag(cmd *cobra.Command, path string) {
	line := strings.Fields(path)
	b.try(false, append(line, poison)...)
	b.try(false, append(line, "x", poison, poison)...)
	b.try(false, append(line, "--"+poison)...)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			b.try(false, append(slices.Clone(line), "--"+f.Name+"="+poison)...)
		}
	})
}
