package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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
