package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/check"
)

func TestTheConfigurationInTheHandbookLoads(t *testing.T) {
	block := regexp.MustCompile("(?s)```jsonc\n(.*?)```").FindStringSubmatch(page(t, "docs/configuration.md"))
	if block == nil {
		t.Fatal("the page shows no configuration")
	}
	if _, err := config.Parse([]byte(block[1])); err != nil {
		t.Error(err)
	}
}

// go test ./cmd/council -run TestCommandsPage -rewrite makes the lists of docs/commands.md anew.
func TestCommandsPage_ListsEveryCommandWithItsFlags(t *testing.T) {
	const next = "\n## Sessions and exit codes\n"
	text := page(t, "docs/commands.md")
	before, _, _ := strings.Cut(text, "\n## ")
	_, after, _ := strings.Cut(text, next)
	root := newRoot(&cli.Env{})
	root.InitDefaultHelpCmd()
	lists := ""
	for _, group := range root.Groups() {
		lists += "\n## " + strings.TrimSuffix(group.Title, ":") + "\n\n"
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID {
				lists += commandLines(t, cmd)
			}
		}
	}
	if want := before + "\n" + strings.TrimPrefix(lists, "\n") + next + after; *rewrite {
		if err := os.WriteFile("../../docs/commands.md", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("docs/commands.md differs from the commands; -rewrite makes it anew (-want +got):\n%s", diff)
	}
	for _, code := range []string{"0", "1", "2", "3", "4", "5"} {
		if !strings.Contains(after, "| "+code+" |") {
			t.Errorf("docs/commands.md does not name exit code %s", code)
		}
	}
}

// commandLines returns the line of a command, and those of the commands below it.
func commandLines(t *testing.T, cmd *cobra.Command) string {
	t.Helper()
	var flags []string
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" {
			t.Errorf("the help of %s does not explain --%s", cmd.CommandPath(), f.Name)
		}
		if f.Name != "root" && !f.Hidden {
			flags = append(flags, "`--"+f.Name+"`")
		}
	})
	path := strings.TrimPrefix(cmd.CommandPath(), "council ") + strings.TrimPrefix(cmd.Use, cmd.Name())
	lines := strings.TrimRight("- `"+path+"`: "+cmd.Short+". "+strings.Join(flags, " "), " ") + "\n"
	for _, below := range cmd.Commands() {
		lines += commandLines(t, below)
	}
	return lines
}

// page returns a page of the documentation.
func page(t *testing.T, name string) string {
	t.Helper()
	text := check.Get(os.ReadFile("../../" + name))(t)
	return string(text)
}
