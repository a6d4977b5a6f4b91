package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/site"
)

const shallWe council.SessionID = "20261121-081500-shall-we-7f3k2a"

// closedWorkspace returns a record with two closed sessions of November, as closing leaves them.
func closedWorkspace(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".council")
	r, err := recorder.OpenRoot(path)
	mustDo(t, err)
	defer r.Close()
	c := episodes.New(r.Files())
	for id, log := range map[council.SessionID][]counciltest.Said{
		shallWe: counciltest.WholeSession(), "20261120-081500-before-2b2b2b": counciltest.AdjournedSession(),
	} {
		entries := counciltest.LogOf(id, log)
		mustDo(t, c.Write(chronicle.Of(entries)))
		folder := filepath.Join(path, "sessions", string(id))
		mustDo(t, os.MkdirAll(folder, 0o700))
		_, line, err := wire.NewWriter(id).Next(entries[0].Event, entries[0].Time, "5a")
		mustDo(t, err)
		mustDo(t, os.WriteFile(filepath.Join(folder, wire.File),
			append([]byte(wire.Empty[:len(wire.Empty)-wire.Over]), line...), 0o600))
	}
	return path
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// runIn runs a command line in a workspace in December, and returns what it printed and said.
func runIn(t *testing.T, root, line string) (out, errs string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	a := cli.Env{Out: &o, Errs: &e, World: site.NewWorld(site.World{Getenv: func(string) string { return "" },
		Now: func() time.Time { return time.Date(2026, 12, 5, 0, 0, 0, 0, time.UTC) }})}
	a.World.Warn = a.Warn
	args := strings.Fields(line)
	cmd := newRoot(&a)
	cmd.SetArgs(append(args, "--root", root))
	err = cmd.Execute()
	return o.String(), e.String(), err
}

func TestATurnIsShownByItsNameOrTheBeginningOfIt(t *testing.T) {
	root := closedWorkspace(t)
	want := `20261121-081500-shall-we-7f3k2a.e15
Marie Curie (curie) · ballot on motion p1.r1.t3 · phase decide · round 1 · 21 November 2026, 08:16:38 UTC

      NO: Latency doubles.
`
	for _, name := range []string{string(shallWe), "20261121", "latest"} {
		out, _, err := runIn(t, root, "turns show "+name+".e15")
		if diff := cmp.Diff(want, out); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	out, _, err := runIn(t, root, "turns show latest.e15 --json")
	mustDo(t, err)
	file, err := os.ReadFile(filepath.Join(root, "turns/2026/11/21", string(shallWe)+".e15.json"))
	mustDo(t, err)
	if out != string(file) {
		t.Errorf("%s, want the file: %s", out, file)
	}

	// Named in full it is read from its file alone: there is no log, no database and no other turn.
	mustDo(t, os.RemoveAll(filepath.Join(root, "sessions")))
	mustDo(t, os.RemoveAll(filepath.Join(root, "episodes")))
	all, err := filepath.Glob(filepath.Join(root, "turns/*/*/*/*.json"))
	mustDo(t, err)
	for _, one := range all {
		if !strings.HasSuffix(one, ".e15.json") {
			mustDo(t, os.Remove(one))
		}
	}
	if out, _, err := runIn(t, root, "turns show "+string(shallWe)+".e15"); err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	root := closedWorkspace(t)
	for line, want := range map[string]error{
		"turns show latest.e4":    episodes.ErrUnknown, // an event in which nobody speaks
		"turns show latest":       episodes.ErrUnknown,
		"turns show nothing.e1":   recorder.ErrUnknownSession,
		"turns list nothing":      recorder.ErrUnknownSession,
		"episodes show ../../etc": recorder.ErrUnknownSession,
	} {
		if _, _, err := runIn(t, root, line); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", line, err, want)
		}
	}
	if _, _, err := runIn(t, root, "turns show 202611.e1"); !errors.Is(err, recorder.ErrAmbiguous) {
		t.Errorf("a beginning of two names: %v", err)
	}
	for _, line := range []string{"gc --retention -1", "gc restore",
		"turns show", "episodes list more"} {
		var wrong *site.Error
		if _, _, err := runIn(t, root, line); !errors.As(err, &wrong) {
			t.Errorf("%s: %v, want a usage error", line, err)
		}
	}
}

func TestListsNameTurnsAndEpisodes(t *testing.T) {
	root := closedWorkspace(t)
	out, _, err := runIn(t, root, "turns list latest")
	mustDo(t, err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 18 || !strings.HasPrefix(lines[0], "e1     question     user             # Queue Should the queue") {
		t.Errorf("%d turns:\n%s", len(lines), out)
	}
	out, _, err = runIn(t, root, "episodes list")
	mustDo(t, err)
	want := `2026-11-21  20261121-081500-shall-we-7f3k2a
            Write before acknowledging.
2026-11-21  20261120-081500-before-2b2b2b
            Nothing was resolved. All stays as it is.
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	if out, _, err := runIn(t, root, "episodes list --limit 1 --json"); err != nil || strings.Count(out, "\n") != 1 ||
		!strings.Contains(out, string(shallWe)) {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = runIn(t, root, "episodes show latest")
	mustDo(t, err)
	for _, want := range []string{"Outcome: Write before acknowledging.", "To come: Execution awaits approval",
		"Turns:   18: e1-e3, e5, e9-e15, e17, e19-e24 ("} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

// What members wrote reaches a terminal without what it would obey, and no line of it looks like one of ours.
func TestWordsOfOthersAreHarmless(t *testing.T) {
	root := closedWorkspace(t)
	for _, line := range []string{"turns show latest.e9", "turns list latest", "turns show latest.e9 --json"} {
		out, _, err := runIn(t, root, line)
		if err != nil || strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, "回答") {
			t.Errorf("%s: %v, %q", line, err, out)
		}
	}
	out, _, _ := runIn(t, root, "turns show latest.e9")
	for _, line := range strings.Split(out, "\n")[2:] {
		if line != "" && !strings.HasPrefix(line, "      ") {
			t.Errorf("a line of a member's stands where ours do: %q", line)
		}
	}
}

func TestPackingIsADryRunUnlessItIsApplied(t *testing.T) {
	root := closedWorkspace(t)
	dry, _, err := runIn(t, root, "gc --retention 4")
	mustDo(t, err)
	if _, err := os.Stat(filepath.Join(root, "turns/2026/11/21")); err != nil ||
		!strings.Contains(dry, "\nWith --apply: 21 turns packed into 2 files. Nothing was changed.") {
		t.Errorf("%v\n%s", err, dry)
	}
	early, _, err := runIn(t, root, "gc --apply")
	if err != nil || early != "There is nothing to archive or pack from before 2026-09-06.\n" {
		t.Errorf("%v\n%s", err, early)
	}
	before, _, err := runIn(t, root, "turns list latest --json")
	mustDo(t, err)
	done, _, err := runIn(t, root, "gc --retention 4 --apply")
	mustDo(t, err)
	if first, _, _ := strings.Cut(dry, "\n"); !strings.HasPrefix(done, first) ||
		!strings.Contains(done, "Done: 21 turns packed into 2 files.") {
		t.Errorf("said:\n%s\ndone:\n%s", dry, done)
	}
	if all, err := os.ReadDir(filepath.Join(root, "turns/2026/11/21")); err != nil || len(all) != 1 {
		t.Errorf("the files of the day: %v, %v", all, err)
	}
	after, _, err := runIn(t, root, "turns list latest --json")
	if diff := cmp.Diff(before, after); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestWhatCannotBeReadIsNamedAndTheRestIsShown(t *testing.T) {
	root := closedWorkspace(t)
	for _, damaged := range []struct {
		file, line string
		lines      int
	}{
		{"turns/2026/11/21/" + string(shallWe) + ".e9.json", "turns list " + string(shallWe), 17},
		{"turns/2026/11/21/" + string(shallWe) + ".e9.json", "gc --retention 4", 4},
		{"episodes/2026/11/21/" + string(shallWe) + ".json", "episodes list", 2},
	} {
		mustDo(t, os.Truncate(filepath.Join(root, damaged.file), 10))
		line, lines := damaged.line, damaged.lines
		out, errs, err := runIn(t, root, line)
		var told *cli.Told
		if !errors.As(err, &told) || !errors.Is(err, episodes.ErrUnreadable) || !strings.Contains(errs, string(shallWe)) ||
			strings.Count(out, "\n") != lines {
			t.Errorf("%s: %v\n%s%s", line, err, out, errs)
		}
	}
}
