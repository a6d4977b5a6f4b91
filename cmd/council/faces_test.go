package main

import (
	"github.com/council-engine/council/internal/check"

	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/seat"
)

// A policy that forbids an operation forbids it at every face: to a program that embeds the workspace, on the command
// line, on a page and to an agent. Each attempt leaves the sessions as they were, and a refused approval is in the
// ledger.
func TestPolicy_HoldsAtEveryFace(t *testing.T) {
	c := newCaller(t)
	c.door.Approve = true
	c.connect()
	begin := func(flags arguments) string {
		id := c.call("convene", flags).Session
		<-c.door.ended
		return id
	}
	closed := begin(arguments{"topic": "Shall we keep the queue?", "council": "code-review"})
	line := func(args ...string) func() string {
		return func() string {
			a := decidingApp()
			var errs bytes.Buffer
			a.Out, a.Errs = io.Discard, &errs
			if code := runLine(a, t.Context(), args); code != cli.ExitError && code != cli.ExitSuspended {
				t.Errorf("council %q: exit code %d: %s", args, code, &errs)
			}
			return errs.String()
		}
	}
	line("convene", "Who waits?", "--me=Kim", "--no-wait")()
	w := check.Get(workspace.Open(".council", workspace.Options{}))(t)
	defer w.Close()
	ids := check.Get(w.IDs())(t)
	check.Is(t, "sessions", 2, len(ids))
	open := string(ids[0])
	_, after, _ := strings.Cut(c.call("review", arguments{"session": closed}).Text, "SHA-256 of the brief: ")
	sum := strings.Fields(after)[0]
	const rules = `
[providers]
deny = ['script', 'rehearsal']
[approvers]
allow = ['ann']
[context]
deny = ['secret.md']
`
	for name, text := range map[string]string{".council/policy.toml": rules, "secret.md": "Not for members.\n"} {
		put(t, name, text)
	}
	v := newVisitor(t, c.door)
	page := func(path string, fields ...string) string { _, text := v.send(path, fields...); return text }
	program := func(do func(*workspace.Workspace) error) func() string {
		return func() string {
			a := decidingApp()
			err := workspace.With(".council", workspace.Options{World: a.World}, do)
			if err == nil {
				return "it was carried out"
			}
			return err.Error()
		}
	}
	agent := func(tool string, args arguments) func() string {
		return func() string { return c.refusal(tool, args) }
	}
	convene := run.Request{Topic: "Shall we?", Choice: seat.Choice{Council: "code-review", Models: []string{deciding}}}
	reads := convene
	reads.Context = documents.Request{Paths: []string{"secret.md"}}
	for operation, faces := range map[string]map[string]func() string{
		"convene": {
			"program": program(func(w *workspace.Workspace) error { _, err := w.Convene(t.Context(), convene); return err }),
			"command": line("convene", "Shall we?"),
			"page":    func() string { return page("/convene", "topic", "Shall we?", "act", "begin") },
			"agent":   agent("convene", arguments{"topic": "Shall we?"}),
		},
		"forecast": {
			"program": program(func(w *workspace.Workspace) error { _, err := w.Plan(t.Context(), convene); return err }),
			"command": line("convene", "Shall we?", "--dry-run"),
			"page":    func() string { return page("/convene", "topic", "Shall we?", "act", "try") },
			"agent":   agent("convene", arguments{"topic": "Shall we?", "dryRun": true}),
		},
		"read a document": {
			"program": program(func(w *workspace.Workspace) error { _, err := w.Convene(t.Context(), reads); return err }),
			"command": line("convene", "Shall we?", "--context", "secret.md"),
		},
		"resume": {
			"program": program(func(w *workspace.Workspace) error {
				_, err := w.Resume(t.Context(), run.Resumption{Session: open})
				return err
			}),
			"command": line("resume", open),
		},
		"ask": {
			"program": program(func(w *workspace.Workspace) error {
				_, _, err := w.Ask(t.Context(), closed, "bug_hunter", "Why?")
				return err
			}),
			"command": line("ask", closed, "bug_hunter", "Why?"),
			"agent":   agent("ask", arguments{"session": closed, "member": "bug_hunter", "question": "Why?"}),
		},
		"reopen": {
			"command": line("reopen", closed, "--because", "It failed."),
			"page":    func() string { return page("/s/"+closed+"/reopen", "because", "It failed.") },
		},
		"approve": {
			"program": program(func(w *workspace.Workspace) error {
				_, err := w.Rule(t.Context(), closed, run.Verdict{SHA256: sum})
				return err
			}),
			"command": line("approve", closed, "--yes", "--sha256", sum),
			"page":    func() string { return page("/s/"+closed+"/approve", "sha256", sum) },
			"agent":   agent("approve", arguments{"session": closed, "sha256": sum}),
		},
	} {
		for face, try := range faces {
			if said := try(); !strings.Contains(said, "policy") {
				t.Errorf("%s, %s: it says nothing of the policy: %s", operation, face, said)
			}
			if now, err := w.IDs(); err != nil || len(now) != len(ids) {
				t.Errorf("%s, %s: the sessions are %v now, not %v", operation, face, now, ids)
			}
		}
	}
	denied := 0
	for _, e := range entries(t, ".council") {
		if e.Type == audit.TypeDenied && e.Session == council.SessionID(closed) {
			denied++
		}
	}
	if denied != 4 {
		t.Errorf("%d denials are in the ledger, not one for each face that approves", denied)
	}
}
