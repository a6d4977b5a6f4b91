package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/internal/check"
)

// At a terminal of 80 columns and 24 lines the first screen has the decision, its vote, the approval and the strongest
// objection, in colours unless these are off.
func TestTheFirstScreenOfASession(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	run := func(env string, args ...string) string {
		t.Helper()
		out.Reset()
		usual := a.Getenv
		a.Getenv = func(name string) string {
			if value, ok := strings.CutPrefix(env, name+"="); ok {
				return value
			}
			return usual(name)
		}
		defer func() { a.Getenv = usual }()
		if code := runLine(a, context.Background(), args); code != cli.ExitOK {
			t.Fatalf("exit %d: %s", code, &errs)
		}
		return out.String()
	}
	run("", "convene",
		"Shall we keep the queue in the database, where whoever is on call knows it, or write it ahead to a log?",
		"--model", deciding, "--quiet")
	a.Terminal, a.Width = true, func() int { return 80 }
	screen := strings.Join(strings.SplitN(run("NO_COLOR=1", "show"), "\n", 24)[:23], "\n")
	check.Says(t, screen, "Decided on", "• Decision: “Keep it and measure”", "• Vote: 4 YES, 1 NO; 3 YES needed.",
		"• Document: approved", "• Execution: waits for a person's approval",
		"• Strongest objection: “A month is too long.” (The Steward, dissent,")
	for _, plain := range []string{screen, run("NO_COLOR=", "show", "--no-color"), run("TERM=dumb", "show", "e3"),
		run("", "sessions"), run("", "show", "--raw")} {
		check.NeverSays(t, plain, "\x1b")
	}
	if coloured := run("NO_COLOR=", "show"); !strings.Contains(coloured, "\x1b[1m") {
		t.Error("nothing is in bold")
	}
	for width := range 4 {
		a.Width = func() int { return 64 + 40*width }
		for _, args := range [][]string{{"show"}, {"show", "--votes"}, {"sessions"}} {
			for line := range strings.Lines(run("", args...)) {
				n, words := terminal.Cells(strings.TrimSuffix(line, "\n")), strings.Fields(strings.TrimLeft(line, " │"))
				if n > a.Width() && len(words) > 1 {
					t.Errorf("%v at %d columns: a line of %d: %q", args, a.Width(), n, line)
				}
			}
		}
	}
}
