package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/internal/check"
)

// coverage fails for verbs that no file has, and compares the list of flags that none has.
func (c *corpus) coverage(t *testing.T) {
	var unused strings.Builder
	all := leaves()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if c.used[path] == nil && !all[path].HasSubCommands() {
			t.Errorf("council %s is in no file of %s: add what it prints", path, c.folder)
			continue
		}
		var flags []string
		all[path].Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !c.used[path][f.Name] && f.Name != "help" {
				flags = append(flags, "--"+f.Name)
			}
		})
		if len(flags) > 0 {
			fmt.Fprintf(&unused, "%s: %s\n", path, strings.Join(flags, " "))
		}
	}
	file := filepath.Join(c.folder, "files", "unused-flags.txt")
	recorded, _ := os.ReadFile(file)
	switch {
	case *rewrite:
		check.OK(t, os.WriteFile(file, []byte(unused.String()), 0o644))
	case string(recorded) != unused.String():
		t.Errorf("the flags that no file of the corpus has:\n%s", lineDiff(strings.Split(string(recorded), "\n"),
			strings.Split(unused.String(), "\n")))
	}
}

// note remembers the verb of a command line, and its flags.
func (c *corpus) note(root *cobra.Command, args []string) {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return
	}
	path := strings.TrimPrefix(cmd.CommandPath(), "council ")
	if slices.Contains(rest, "--help") {
		return
	}
	if c.used[path] == nil {
		c.used[path] = map[string]bool{}
	}
	for _, arg := range rest {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			name, _, _ = strings.Cut(name, "=")
			c.used[path][name] = true
		}
	}
}
