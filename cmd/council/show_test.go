package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/reading"
)

// At a terminal of 80 columns and 24 lines the first screen has the decision, its vote, the approval and the strongest
// objection, in colours unless these are off.
func TestTheFirstScreenOfASession(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	run := func(env string, args ...string) string {
		t.Helper()
		out.Reset()
		usual := a.Getenv
		a.Getenv = func(name string) string {
			if value, ok := strings.CutPrefix(env, name+"="); ok {
				return value
			}
			return usual(name)
		}
		defer func() { a.Getenv = usual }()
		runs(t, a, cli.ExitOK, args...)
		return out.String()
	}
	run("", "convene",
		"Shall we keep the queue in the database, where whoever is on call knows it, or write it ahead to a log?",
		"--model", deciding, "--quiet", "--pace", "as-written")
	a.Terminal, a.Width = true, func() int { return 80 }
	screen := strings.Join(strings.SplitN(run("NO_COLOR=1", "show"), "\n", 24)[:23], "\n")
	check.Says(t, screen, "Decided on", "• Decision: “Keep it and measure”", "• Vote: 4 YES, 1 NO; 3 YES needed.",
		"• Document: approved", "• Execution: waits for a person's approval",
		"• Strongest objection: “A month is too long.” (The Steward, dissent,")
	for _, plain := range []string{screen, run("NO_COLOR=", "show", "--no-color"), run("TERM=dumb", "show", "e3"),
		run("", "sessions"), run("", "show", "--raw")} {
		check.NeverSays(t, plain, "\x1b")
	}
	if coloured := run("NO_COLOR=", "show"); !strings.Contains(coloured, "\x1b[1m") {
		t.Error("nothing is in bold")
	}
	for width := range 4 {
		a.Width = func() int { return 64 + 40*width }
		for _, args := range [][]string{{"show"}, {"show", "--votes"}, {"sessions"}} {
			for line := range strings.Lines(run("", args...)) {
				n, words := terminal.Cells(strings.TrimSuffix(line, "\n")), strings.Fields(strings.TrimLeft(line, " │"))
				if n > a.Width() && len(words) > 1 {
					t.Errorf("%v at %d columns: a line of %d: %q", args, a.Width(), n, line)
				}
			}
		}
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

// sight is a terminal that says when something was first seen on it.
type sight struct {
	words string
	seen  chan struct{}
	mu    sync.Mutex
	text  strings.Builder
}

func (s *sight) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := strings.Contains(s.text.String(), s.words)
	n, err := s.text.Write(p)
	if !before && strings.Contains(s.text.String(), s.words) {
		close(s.seen)
	}
	return n, err
}

// Another terminal shows what happens while a member is asked, what is recorded, and how it ends; the session is asked
// for nothing more than otherwise.
func TestARunningSessionIsWatchedFromAnotherTerminal(t *testing.T) {
	m := newMarket(t, 3)
	alone := m.trial(t, t.TempDir(), "alone")
	alone.wants(alone.convene(nil), cli.ExitOK)
	var tr *trial
	out := &sight{words: "is asked to speak", seen: make(chan struct{})}
	code := make(chan int, 1)
	var once sync.Once
	m.front = func(_ http.ResponseWriter, c marketCall) bool {
		if strings.Contains(c.contract, "turn") {
			once.Do(func() {
				go func() {
					a := tr.app()
					a.Out, a.Errs, a.Signals, a.Terminal = out, out, catching(make(chan os.Signal)), true
					code <- runLine(a, context.Background(), []string{"watch", "--root", tr.root()})
				}()
			})
			select {
			case <-out.seen:
			case <-time.After(time.Minute):
				t.Error("what happens is not shown")
			}
		}
		return false
	}
	tr = m.trial(t, t.TempDir(), "watched")
	tr.wants(tr.convene(nil), cli.ExitOK)
	if got := <-code; got != cli.ExitOK {
		t.Errorf("exit code %d\n%s", got, out.text.String())
	}
	shown := out.text.String()
	check.Says(t, shown, "Sealed positions:", "Phase 1 of ", "round 1 of ", " calls · ",
		"Ctrl-C leaves · council say ", "\x1b[J", "The motion: carried", "Record: ")
	check.Is(t, "questions were paid for", len(m.bills["alone"]), len(m.bills["watched"]))
}
