package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/config"
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

func TestTheHandbookNamesEveryCommandAndExitCode(t *testing.T) {
	text := page(t, "docs/commands.md")
	for _, cmd := range newRoot(&cli.Env{}).Commands() {
		if !cmd.Hidden && !strings.Contains(text, "`"+cmd.Name()) {
			t.Errorf("docs/commands.md does not name the command %s", cmd.Name())
		}
	}
	for _, code := range []string{"0", "1", "2", "3", "4", "5"} {
		if !strings.Contains(text, "| "+code+" |") {
			t.Errorf("docs/commands.md does not name exit code %s", code)
		}
	}
}

// page returns a page of the documentation.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
