package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// An empty reason once approved the brief that it was meant to reject.
func TestABlankRejectionApprovesNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	g := newGrounds(t)
	handoff := filepath.Join(g.root, "sessions", g.sessions["closed"], "execution-handoff.json")
	log := filepath.Join(g.root, "sessions", g.sessions["closed"], "events.json")
	before := check.Get(os.ReadFile(log))(t)
	for _, args := range [][]string{
		{"approve", "--reject", ""}, {"approve", "--reject", " \t"}, {"approve", "--reject="},
		{"approve", "--finished", ""}, {"approve", "--amend", ""}, {"approve", "--sha256", ""},
		{"resume", "--adjourn", ""}, {"approve", "--reject", "no", "--finished", "ok"}, {"show", "--list", "--path"},
		{"resume", "--budget-tokens", "many"}, {"resume", "--budget-time", "1 hour"}, {"verify", "--all=perhaps"},
	} {
		name := g.sessions["closed"]
		if args[0] == "resume" {
			name = g.sessions["suspended"]
		}
		code, said := g.ask(t, append(args, name)...)
		if code != cli.ExitUsage || strings.Contains(said, "strconv") || strings.Contains(said, "group") {
			t.Errorf("%q: exit code %d\n%s", args, code, said)
		}
	}
	after, err := os.ReadFile(log)
	if err != nil || string(after) != string(before) {
		t.Errorf("the record was changed: %v", err)
	}
	if text, err := os.ReadFile(handoff); err != nil || !strings.Contains(string(text), "AWAITING_APPROVAL") {
		t.Errorf("the handoff does not wait for approval: %v\n%.300s", err, text)
	}
}
