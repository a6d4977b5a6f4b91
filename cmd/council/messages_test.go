package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
)

// A raw read that overlaps an append finds half an event.
func TestShowEventsLeavesOutWhatIsBeingAppended(t *testing.T) {
	tr := newMarket(t, 3).trial(t, t.TempDir(), "events")
	tr.wants(tr.convene(nil), cli.ExitOK)
	path := filepath.Join(tr.root(), "sessions", crashSession, "events.json")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr.wants(tr.run(nil, "show", "--events"), cli.ExitOK)
	if whole := tr.out.String(); whole != string(file)+"\n" {
		t.Errorf("it differs from the file: %.200s", whole)
	}
	if err := os.WriteFile(path, file[:len(file)-100], 0o600); err != nil {
		t.Fatal(err)
	}
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

// "mkdirat x", and "the prices cannot be read" where the record itself was the trouble.
func TestAPlaceThatCannotHoldTheRecordIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile(".council", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"convene x --model rehearsal": "the folder is not a council workspace: .council is a file, or lies in one\nChoose " +
			"another folder with --root.",
		"sessions": "the folder is not a council workspace: .council is a file, or lies in one\nChoose another folder with " +
			"--root.",
		"convene x --model rehearsal --root .council/sub": ".council/sub is a file, or lies in one\n",
		"convene x --model rehearsal --root /proc/council-x": "the folder /proc/council-x cannot be used: no such file or " +
			"directory",
	} {
		if strings.Contains(command, "/proc") && runtime.GOOS != "linux" {
			continue
		}
		var out, errs bytes.Buffer
		if code := runLine(testOnlyApp(&out, &errs), t.Context(), strings.Fields(command)); code != cli.ExitError {
			t.Errorf("%.60s: exit code %d", command, code)
		}
		if said := errs.String(); !strings.Contains(said, want) || strings.Contains(said, "mkdirat") ||
			strings.Contains(said, "prices") {
			t.Errorf("%.60s says:\n%s", command, said)
		}
	}
}

// "ruling does not apply: the execution stands at APPROVED" said what the program thought, and not how things stand.
func TestARulingThatDoesNotApplyIsRefusedInPlainWords(t *testing.T) {
	var errs bytes.Buffer
	a := testOnlyApp(nil, &errs)
	opening, err := rules.Open("s", council.Topic{Text: "Shall we?"}, shortCharter("http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := rules.Replay(rules.Log(opening))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Rule(council.ExecutionStarted{})
	if !errors.Is(err, rules.ErrBadRuling) || cli.ExitWith(a, err) != cli.ExitError {
		t.Fatalf("%v", err)
	}
	if want := "council: the session is not closed yet\nNothing was changed."; !strings.HasPrefix(errs.String(), want) {
		t.Errorf("it says:\n%s", &errs)
	}
}
