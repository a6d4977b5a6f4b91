package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/reading"
)

// The session that is reopened is named in the record, and the older record says by what it is superseded.
func TestDecisionRecord_SupersedesTheSessionThatItReopens(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "adr")
	export := func(id council.SessionID, said ...counciltest.Said) {
		t.Helper()
		_, _, err := reading.ExportRecord(id, counciltest.LogOf(id, said), folder)
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		text := check.Get(os.ReadFile(filepath.Join(folder, name)))(t)
		return string(text)
	}
	opens := func(topic string) counciltest.Said {
		return counciltest.Said{Payload: council.SessionStarted{Topic: council.Topic{Text: topic}}}
	}
	const old, other, late = "20261101-090000-behind-aaaaaa", "20261102-090000-go-bbbbbb", "20261103-090000-ahead-cccccc"
	export(old, opens("Write behind?"))
	export(other, opens("Go?"))
	settles := counciltest.Said{Actor: "ada", Payload: council.SummaryWritten{Summary: council.Summary{
		Settles: []council.Settlement{{Record: "r-2", How: council.SettledSuperseded}}}}}
	closes := counciltest.Said{Payload: council.SessionClosed{Outcome: council.Outcome{Decided: true}}}
	opening := counciltest.Said{Payload: council.SessionStarted{
		Topic:  council.Topic{Text: "Write ahead?", Reopens: &council.Reopened{Session: old}},
		Memory: []council.Reminder{{Records: []council.Remembered{{ID: "r-2", Session: other}}}}}}
	export(late, opening, settles, closes)
	before := read("0003-write-ahead.md")
	if !strings.HasSuffix(before, "- Supersedes [ADR-0001](0001-write-behind.md).\n") {
		t.Errorf("the newer record: %s", before)
	}
	if text := read("0001-write-behind.md"); !strings.Contains(text, "\nstatus: superseded by ADR-0003\n") {
		t.Errorf("the older record: %s", text)
	}
	check.NeverSays(t, read("0002-go.md"), "superseded")
	export(old, opens("Write behind?")) // again, which does not bring it back
	export(late, opening, settles, closes)
	if read("0003-write-ahead.md") != before || !strings.Contains(read("0001-write-behind.md"), "superseded by ADR-0003") {
		t.Error("exported again, the records say something else")
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 3 {
		t.Errorf("there are %d files", len(entries))
	}
}
