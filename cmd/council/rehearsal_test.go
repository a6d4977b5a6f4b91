package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// `council convene "Is it safe to deploy?" --quiet && deploy` deployed without a key: the rehearsal had decided.
func TestRehearsal_SpeaksOnlyWhereItIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"topics.jsonl": `{"topic":"Is it safe?"}` + "\n",
		"questions.jsonl": `{"id":"a","question":"Is it?","answer":"yes"}` + "\n"} {
		check.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
	const asked = "convene Is+it+safe? --output none --pace quick "
	for _, test := range []struct {
		line     string
		terminal bool
		want     int
	}{
		{asked, false, cli.ExitUsage},
		{asked + "--quiet", false, cli.ExitUsage},
		{asked + "--json", false, cli.ExitUsage},
		{asked + "--no-wait", false, cli.ExitUsage},
		{asked + "--dry-run", false, cli.ExitUsage},
		{"convene --batch topics.jsonl", false, cli.ExitUsage},
		{"eval questions.jsonl", false, cli.ExitUsage},
		{"schedule add daily --cron @daily -- Is+it+safe?", false, cli.ExitUsage},
		{"cluster worker", false, cli.ExitUsage},
		{asked + "--quiet", true, cli.ExitUsage},
		{asked + "--json", true, cli.ExitUsage},
		{"convene --batch topics.jsonl", true, cli.ExitUsage},
		{"eval questions.jsonl", true, cli.ExitUsage},
		{"schedule add daily --cron @daily -- Is+it+safe?", true, cli.ExitUsage},
		{asked + "--no-wait --model rehearsal", false, cli.ExitOK},
		{asked + "--no-wait --quiet --model rehearsal", true, cli.ExitOK},
		{asked + "--no-wait", true, cli.ExitNotDecided}, // a line says that it speaks, and nobody asked for it
	} {
		var out, errs bytes.Buffer
		a := testOnlyApp(&out, &errs)
		a.Terminal, a.Keyboard = test.terminal, test.terminal
		args := strings.Fields(test.line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "+", " ")
		}
		code := runLine(a, t.Context(), args)
		if code != test.want {
			t.Errorf("%s, at a terminal %t: exit code %d, want %d\n%s%s", test.line, test.terminal, code, test.want, &out,
				&errs)
		}
		sessions, _ := filepath.Glob(".council/sessions/*")
		switch {
		case test.want == cli.ExitUsage && (!strings.Contains(errs.String(), "--model rehearsal") || len(sessions) > 0):
			t.Errorf("%s: %d sessions, and it does not say what to set: %s", test.line, len(sessions), &errs)
		case test.want == cli.ExitNotDecided && !strings.Contains(out.String(), "Members: rehearsal, because there is no "):
			t.Errorf("%s: no line says that the rehearsal speaks:\n%s", test.line, &out)
		}
		_ = os.RemoveAll(".council")
	}
}

// A batch line with `"council": "security"` beside three configured models was held by the rehearsal, and "decided".
func TestConfiguredModels_SeatReadyMadeCouncils(t *testing.T) {
	counciltest.NotUnderRace(t)
	s := newStreet(t)
	d := newWorkplace(t, s.url)
	t.Chdir(t.TempDir())
	d.root, d.config = site.DefaultRoot, site.ConfigFile
	d.write(shortCharter(s.url))
	batch := d.file("topics.jsonl", `{"topic":"Is the login safe?","council":"security","pace":"quick"}`+"\n")
	seated := func(what string) {
		t.Helper()
		calls := s.server.Calls.Swap(0)
		d.run(cli.ExitOK, "show", "--file", "session.json")
		var session struct {
			Members []struct{ Model string }
			Outcome struct{ State string }
		}
		check.OK(t, json.Unmarshal(d.out.Bytes(), &session))
		models := map[string]bool{}
		for _, m := range session.Members {
			models[m.Model] = true
		}
		if calls == 0 || session.Outcome.State == "rehearsed" || !models["m1"] || !models["m2"] || !models["m3"] {
			t.Errorf("%s: %d calls, models %v, %s; want calls to m1, m2 and m3", what, calls, models, session.Outcome.State)
		}
	}
	held := func(args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		a := testOnlyApp(&out, &errs)
		if code := runLine(a, context.Background(), args); code != cli.ExitOK && code != cli.ExitNotDecided {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, &out, &errs)
		}
	}
	held("convene", "--batch", batch)
	seated("a batch")
	held("schedule", "add", "daily", "--cron", "@daily", "--", "--council", "security", "--pace", "quick", "Is it safe?")
	held("schedule", "run", "daily")
	seated("a routine")
	held("convene", "Is it safe?", "--council", "security", "--model", "rehearsal", "--pace", "quick")
	s.server.Calls.Store(0)
	held("reopen", "latest", "--because", "A model is to look at it.")
	seated("a reopening")

	// A record that is kept elsewhere, as the action's is, takes nothing from the configuration beside the command.
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	elsewhere := filepath.Join(t.TempDir(), "record")
	line := []string{"convene", "Q?", "--council", "security", "--root", elsewhere}
	runs(t, a, cli.ExitUsage, line...)
	if n := s.server.Calls.Load(); n > 0 {
		t.Errorf("a record elsewhere: %d calls", n)
	}
}

// One rehearsed seat among models makes a session a rehearsal, in all that is told of it.
func TestRehearsal_IsNowhereADecision(t *testing.T) {
	counciltest.NotUnderRace(t)
	s := newStreet(t)
	d := newWorkplace(t, s.url)
	d.env = map[string]string{"XDG_STATE_HOME": t.TempDir()}
	c := shortCharter(s.url)
	c.Members[1].Model = council.Model{Provider: "rehearsal"}
	d.write(c)
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	d.says(&d.out, "Rehearsed: the built-in rehearsal had a seat, so nothing was decided.\nCarried in rehearsal, ")
	for _, told := range []struct{ line, want, never string }{
		{"sessions", "rehearsed", "decided"},
		{"sessions --json", `"state":"rehearsed"`, `"decided":true`},
		{"sessions --status rehearsed --json", `"state":"rehearsed"`, "nothing"},
		{"show", "**Rehearsed** on ", "**Decision:**"},
		{"show --file session.json", `"decided": false`, `"approval"`},
		{"show --list", "session.json", "execution-handoff.json"},
		{"memory list --all --kind decision --kind open_loop --json", "", "id"},
		{"record episodes list --json", `"rehearsed"`, `"decided"`},
		{"export --format adr", "status: proposed", "Chosen option"},
		{"export --format md", "Rehearsed", "**Decided**"},
		{"review", "nothing was decided", "To approve"},
	} {
		d.run(cli.ExitOK, strings.Fields(told.line)...)
		if got := d.out.String(); !strings.Contains(got, told.want) || strings.Contains(got, told.never) {
			t.Errorf("%s: want %q and not %q:\n%s", told.line, told.want, told.never, got)
		}
	}
	d.run(cli.ExitOK, "approve", "--show")
	d.run(cli.ExitError, "approve", "--yes", "--sha256", sumShown(d.out.String()))
	d.says(&d.errs, "The built-in rehearsal had a seat")
	d.run(cli.ExitOK, "verify")
	d.run(cli.ExitOK, "record", "replay")
}
