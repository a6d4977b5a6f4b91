package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
)

// What is no document is asked for again, and kept as a file that is written again from the log.
func TestUntidy_WhatIsNoDocumentIsRefusedAndKept(t *testing.T) {
	for _, test := range []struct{ name, reply, why string }{
		{"an agent's error", "API Error: Connection error.", "It is an error message and no document"},
		{"JSON", `{"status": "ok", "code": 3}`, "It is JSON with the fields code, status"},
		{"a tokenizer's signs", "#ĠDesignĊĊWeĠkeepĠit.", "tokenizer"},
	} {
		u := newUntidy(t, func(contract, _ string, nth int) string {
			if contract == "" && nth == 1 {
				return chunk(test.reply, "stop") + done
			}
			return ""
		})
		d := newSteadyWorkplace(t, u.URL)
		d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
		const name = "documentation.draft.v1.refused-1.*.md"
		kept := d.wrote(name)
		if u.calls[""] != 2 || !strings.Contains(kept, test.why) {
			t.Errorf("%s: %d calls for the document, and the refused one is\n%s", test.name, u.calls[""], kept)
		}
		files, _ := filepath.Glob(filepath.Join(d.root, "sessions", "*", name))
		check.OK(t, os.Remove(files[0]))
		d.run(cli.ExitOK, "rebuild")
		check.Is(t, test.name, kept, d.wrote(name))
	}
}
