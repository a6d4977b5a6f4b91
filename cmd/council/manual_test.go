package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
)

func TestTheManualHasNoSectionOfACommandThatIsGone(t *testing.T) {
	known := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), "council ")
		known[path+strings.TrimPrefix(cmd.Use, cmd.Name())] = true
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&cli.Env{}))
	_, sections, _ := strings.Cut(cli.Manual, "\n== ")
	for section := range strings.SplitSeq(sections, "\n== ") {
		if head, _, _ := strings.Cut(section, "\n"); !known[head] {
			t.Errorf("manual.txt has a section %q, and there is no such command", head)
		}
	}
}
