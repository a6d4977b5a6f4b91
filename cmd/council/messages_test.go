package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
)

// A raw read that overlaps an append finds half an event.
func TestShowEventsLeavesOutWhatIsBeingAppended(t *testing.T) {
	tr := newMarket(t, 3).trial(t, t.TempDir(), "events")
	tr.wants(tr.convene(nil), cli.ExitOK)
	path := filepath.Join(tr.root(), "sessions", crashSession, "events.json")
	file := check.Get(os.ReadFile(path))(t)
	tr.wants(tr.run(nil, "show", "--events"), cli.ExitOK)
	if whole := tr.out.String(); whole != string(file)+"\n" {
		t.Errorf("it differs from the file: %.200s", whole)
	}
	check.OK(t, os.WriteFile(path, file[:len(file)-100], 0o600))
	tr.wants(tr.run(nil, "show", "--events"), cli.ExitOK)
	var events []map[string]any
	if err := json.Unmarshal(tr.out.Bytes(), &events); err != nil || len(events) != strings.Count(string(file), "\n,") {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// full is a device without space.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// Commands whose output went to a full device ended with 0, and without a word.
func TestOutputThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, command := range []string{"version", "councils list", "schema config", "--help",
		"convene x --model rehearsal --output none --quiet", "sessions"} {
		var errs bytes.Buffer
		a := testOnlyApp(nil, &errs)
		a.Out = full{}
		code := runLine(a, t.Context(), strings.Fields(command))
		if code != cli.ExitError || !strings.Contains(errs.String(),
			"could not be written to standard output: no space left on device\n") {
			t.Errorf("%s: exit code %d\n%s", command, code, &errs)
		}
		if strings.Contains(errs.String(), "Free some space") {
			t.Errorf("%s: the hint is for a full record:\n%s", command, &errs)
		}
	}
}
