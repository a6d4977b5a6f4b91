package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/council/config"
)

func TestTheConfigurationInTheReadmeLoads(t *testing.T) {
	block := regexp.MustCompile("(?s)```jsonc\n(.*?)```").FindStringSubmatch(readme(t))
	if block == nil {
		t.Fatal("the README shows no configuration")
	}
	if _, err := config.Parse([]byte(block[1])); err != nil {
		t.Error(err)
	}
}

func TestTheReadmeNamesEveryCommandAndExitCode(t *testing.T) {
	text := readme(t)
	for _, cmd := range (&app{}).newRoot().Commands() {
		if !cmd.Hidden && !strings.Contains(text, "`"+cmd.Name()) {
			t.Errorf("the README does not name the command %s", cmd.Name())
		}
	}
	for _, code := range []string{"0", "1", "2", "3", "4", "5"} {
		if !strings.Contains(text, "| "+code+" |") {
			t.Errorf("the README does not name exit code %s", code)
		}
	}
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
