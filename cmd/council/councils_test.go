package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/templates"
)

// Every ready-made council, rehearsed: it comes to an end, its document has all its sections, and the record holds. The
// plain tests take every third of them; council/member/rehearsal hears the others too.
func TestEveryReadyMadeCouncilComesToItsEnd(t *testing.T) {
	counciltest.NotUnderRace(t)
	for i, name := range templates.Councils() {
		if !every(5, i) {
			continue
		}
		for _, pace := range []string{"auto", "as-written"} {
			t.Run(name+" "+pace, func(t *testing.T) { comesToItsEnd(t, name, pace) })
		}
	}
}

func comesToItsEnd(t *testing.T, name, pace string) {
	topics := map[string]string{
		"code-review": "May this change be merged?", "incident-review": "Why did the queue stop for two hours?",
		"naming": "Shall we call it council?", "vendor-choice": "Should we keep PostgreSQL or move to NATS?",
	}
	document := check.Get(filepath.Abs("../../council/member/rehearsal/testdata/queue.md"))(t)
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
		if code := runLine(testOnlyApp(&out, &errs), t.Context(), append(args, "--root", root)); code != cli.ExitOK {
			t.Fatalf("council %s: code %d\n%s%s", args[0], code, &out, &errs)
		}
	}
	run("convene", topic, "--council", name, "--context", document, "--model", "rehearsal", "--pace", pace,
		"--dry-run")
	if _, err := os.Stat(root); err == nil {
		t.Fatal("a dry run has written something")
	}
	forecast := regexp.MustCompile(`(?m)^all +calls +([0-9]+) +([0-9]+) +([0-9,]+)$`).FindStringSubmatch(out.String())
	if forecast == nil {
		t.Fatalf("the dry run forecasts no calls:\n%s", &out)
	}
	run("convene", topic, "--council", name, "--context", document, "--model", "rehearsal", "--pace", pace,
		"--quiet")
	found, err := filepath.Glob(filepath.Join(root, "sessions", "*", "documentation.md"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the documents are %v, %v", found, err)
	}
	text := check.Get(os.ReadFile(found[0]))(t)
	doc, _ := templates.Council(name)
	c := check.Get(config.Parse(doc))(t)
	for _, section := range c.DocumentationReview.Sections {
		_, rest, ok := strings.Cut(string(text), "\n## "+section+"\n")
		if words, _, _ := strings.Cut(rest, "\n## "); !ok || len(strings.Fields(words)) < 5 {
			t.Errorf("section %q is missing or empty: %q", section, words)
		}
	}
	run("verify")
	run("show", "--file", "session.json")
	var session struct {
		Usage struct{ Total council.Usage }
	}
	check.OK(t, json.Unmarshal(out.Bytes(), &session))
	least, _ := strconv.Atoi(forecast[1])
	most, _ := strconv.Atoi(strings.ReplaceAll(forecast[3], ",", ""))
	if calls := session.Usage.Total.Calls; calls < least || calls > most {
		t.Errorf("%d calls, and the dry run forecast %d to %d", calls, least, most)
	} else {
		t.Logf("%d calls; %s at least, %s usually, %s at most", calls, forecast[1], forecast[2], forecast[3])
	}
}
