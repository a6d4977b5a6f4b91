package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
)

var start = time.Date(2026, 11, 21, 8, 15, 0, 250e6, time.UTC)

func step(n int) memory.Step {
	s := memory.Step{At: start.Add(time.Duration(n) * time.Hour)}
	if n%4 == 3 {
		s.Change = &memory.Change{By: "ann", Verb: "add", Member: "m2",
			Put: []memory.Record{{ID: fmt.Sprintf("r-%012d", n), Summary: "x\n\u202ey"}}}
		return s
	}
	s.Session = &memory.Fold{ID: council.SessionID(fmt.Sprintf("s-%d", n)), From: 1, To: 9,
		Members: []council.MemberID{"m1", "m2"}[:n%2+1]}
	return s
}

// folder is one with a journal of n steps, each appended after its end was read.
func folder(t testing.TB, n int) (atomicfile.Files, string) {
	t.Helper()
	dir := t.TempDir()
	opened := check.Get(atomicfile.OpenDir(dir))(t)
	t.Cleanup(func() { _ = opened.Close() })
	files := (&filetest.Plan{NoSync: true}).Watch(opened)
	for i := range n {
		add(t, files, step(i))
	}
	return files, filepath.Join(dir, journalFile)
}

func add(t testing.TB, files atomicfile.Files, s memory.Step) {
	t.Helper()
	e := check.Get(readEnd(files))(t)
	s.N = e.last().N + 1
	check.OK(t, e.Append(files, s))
}

func content(t testing.TB, name string) []byte {
	t.Helper()
	return check.Get(os.ReadFile(name))(t)
}

func TestJournal_EndAgreesWithTheWhole(t *testing.T) {
	files, name := folder(t, 120)
	lines := check.Get(readSteps(files))(t)
	check.Is(t, "lines", 120, len(lines))
	e := check.Get(readEnd(files))(t)
	check.Equal(t, "result", lines[119], e.last().Step)
	if got := []int{e.last().Standing.Last(""), e.last().Standing.Last("m1"), e.last().Standing.Last("m2"),
		e.last().Standing.Last("m3")}; !slices.Equal(got, []int{119, 119, 120, 0}) {
		t.Errorf("the books were concerned last by %v", got)
	}
	check.Equal(t, "result", []owner{"", "m1", "m2"}, e.last().Standing.Owners())
	check.Is(t, "written again", string(content(t, name)), string(check.Get(newJournal().linesAfter(lines))(t)))
	for n := range 120 {
		s := step(n)
		if s.Session == nil {
			continue
		}
		check.Is(t, "the last event", 9, check.Get(e.Folded(files, s.Session.ID, s.At))(t))
	}
	check.Is(t, "a session that is in no step", 0, check.Get(e.Folded(files, "s-none", start))(t))
}

func TestJournal_NewerFormat(t *testing.T) {
	files, name := folder(t, 0)
	check.OK(t, os.WriteFile(name, []byte(`{"format":2,"n":1,"novelty":true}`+"\n"), 0o600))
	check.ErrorIs(t, "salvaged", ErrNewer, check.Err(salvageSteps(files)))
}

func FuzzReadEnd(f *testing.F) {
	_, name := folder(f, 3)
	whole := content(f, name)
	f.Add(whole)
	f.Add(whole[:len(whole)-9])
	f.Add([]byte("\n\n"))
	f.Add([]byte("{}\n{\"n\":1}\n\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, name := folder(t, 0)
		check.OK(t, os.WriteFile(name, text, 0o600))
		lines, stepsErr := readSteps(files)
		e, err := readEnd(files)
		if stepsErr == nil && (err != nil || e.last().N != len(lines)) {
			t.Errorf("%d lines are whole, and the end is line %d: %v", len(lines), e.last().N, err)
		}
		if _, err := salvageSteps(files); err != nil && !errors.Is(err, ErrNewer) {
			t.Errorf("salvaged: %v", err)
		}
	})
}
