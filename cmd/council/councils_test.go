package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/templates"
)

// Every ready-made council, rehearsed: it comes to an end, its document has all its sections, and the record holds.
func TestEveryReadyMadeCouncilComesToItsEnd(t *testing.T) {
	topics := map[string]string{
		"code-review": "May this change be merged?", "incident-review": "Why did the queue stop for two hours?",
		"naming": "Shall we call it council?", "vendor-choice": "Should we keep PostgreSQL or move to NATS?",
	}
	document, err := filepath.Abs("../../council/member/rehearsal/testdata/queue.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range templates.Councils() {
		t.Run(name, func(t *testing.T) {
			topic := topics[name]
			if topic == "" {
				topic = "Shall we move the job queue to NATS?"
			}
			root := filepath.Join(t.TempDir(), ".council")
			var out, errs bytes.Buffer
			run := func(args ...string) {
				t.Helper()
				out.Reset()
				errs.Reset()
				if code := testOnlyApp(&out, &errs).run(t.Context(), append(args, "--root", root)); code != exitOK {
					t.Fatalf("council %s: code %d\n%s%s", args[0], code, &out, &errs)
				}
			}
			run("convene", topic, "--council", name, "--context", document, "--model", "rehearsal", "--dry-run")
			if _, err := os.Stat(root); err == nil {
				t.Fatal("a dry run has written something")
			}
			run("convene", topic, "--council", name, "--context", document, "--model", "rehearsal", "--quiet")
			found, err := filepath.Glob(filepath.Join(root, "sessions", "*", "documentation.md"))
			if err != nil || len(found) != 1 {
				t.Fatalf("the documents are %v, %v", found, err)
			}
			text, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			doc, _ := templates.Council(name)
			c, err := config.Parse(doc)
			if err != nil {
				t.Fatal(err)
			}
			for _, section := range c.DocumentationReview.Sections {
				_, rest, ok := strings.Cut(string(text), "\n## "+section+"\n")
				if words, _, _ := strings.Cut(rest, "\n## "); !ok || len(strings.Fields(words)) < 5 {
					t.Errorf("section %q is missing or empty: %q", section, words)
				}
			}
			run("verify")
		})
	}
}
