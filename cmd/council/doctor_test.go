package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
)

func TestDoctor_ConveneIsCarefulAboutWhatOnlyCosts(t *testing.T) {
	s := newStreet(t)
	d := newWorkplace(t, s.url)
	c := shortCharter(s.url)
	c.Members[1].Model.MaxTokens = 300
	d.write(c)
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	d.says(&d.errs, "Careful: member m2: Its replies are cut after 300 tokens.")
}

func TestDoctor_AsksAsTheCommandIsWired(t *testing.T) {
	s := newStreet(t)
	d := newWorkplace(t, s.url)
	context := filepath.Join(t.TempDir(), "notes.md")
	check.OK(t, os.WriteFile(context, []byte(strings.Repeat("A note.\n", 1000)), 0o600))
	d.run(cli.ExitOK, "doctor", "--config", d.config, "--context", context)
	d.says(&d.out, "charter, 1 document")
	d.says(&d.out, "3 calls were made")
	if n := s.server.Calls.Load(); n != 3 {
		t.Errorf("%d calls were made", n)
	}
	s.shut.Store(&refusal{401, `{"error":{"message":"Incorrect API key provided: sk-abcdefghijklmnop."}}`})
	d.run(cli.ExitFindings, "doctor", "--config", d.config)
	d.says(&d.out, "does not accept the key")
	d.run(cli.ExitOK, "doctor", "--config", d.config, "--offline")
	if all, err := os.ReadDir(filepath.Join(d.root, "sessions")); err != nil || len(all) > 0 {
		t.Errorf("the doctor made a session: %v, %v", all, err)
	}
}
