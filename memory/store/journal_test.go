package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
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
	opened, err := atomicfile.OpenDir(dir)
	check.OK(t, err)
	t.Cleanup(func() { _ = opened.Close() })
	files := (&filetest.Plan{NoSync: true}).Watch(opened)
	for i := range n {
		add(t, files, step(i))
	}
	return files, filepath.Join(dir, journalFile)
}

func add(t testing.TB, files atomicfile.Files, s memory.Step) {
	t.Helper()
	e, err := readEnd(files)
	check.OK(t, err)
	s.N = e.last().N + 1
	if err := e.Append(files, s); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	check.OK(t, err)
	return text
}

func TestJournal_EndAgreesWithTheWhole(t *testing.T) {
	files, name := folder(t, 120)
	lines, err := readSteps(files)
	if err != nil || len(lines) != 120 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	e, err := readEnd(files)
	check.OK(t, err)
	check.Equal(t, "result", lines[119], e.last().Step)
	if got := []int{e.last().Standing.Last(""), e.last().Standing.Last("m1"), e.last().Standing.Last("m2"),
		e.last().Standing.Last("m3")}; !slices.Equal(got, []int{119, 119, 120, 0}) {
		t.Errorf("the books were concerned last by %v", got)
	}
	check.Equal(t, "result", []owner{"", "m1", "m2"}, e.last().Standing.Owners())
	again, err := newJournal().linesAfter(lines)
	if err != nil || string(again) != string(content(t, name)) {
		t.Errorf("written again it differs: %v", err)
	}
	for n := range 120 {
		s := step(n)
		if s.Session == nil {
			continue
		}
		if upTo, err := e.Folded(files, s.Session.ID, s.At); err != nil || upTo != 9 {
			t.Errorf("session %d is folded in up to %d: %v", n, upTo, err)
		}
	}
	check.Is(t, "a session that is in no step", 0, check.Get(e.Folded(files, "s-none", start))(t))
}

func TestJournal_CutAnywhereGoesOn(t *testing.T) {
	_, first := folder(t, 4)
	_, name := folder(t, 5)
	whole := content(t, name)
	for cut := 0; cut < len(content(t, first)); cut += counciltest.Often(7, 1) {
		for _, zeros := range []int{0, 7} {
			files, name := folder(t, 0)
			torn := append(slices.Clone(whole[:cut]), make([]byte, zeros)...)
			check.OK(t, os.WriteFile(name, torn, 0o600))
			lines, err := readSteps(files)
			e, endErr := readEnd(files)
			if err := errors.Join(err, endErr); err != nil || e.last().N != len(lines) {
				t.Fatalf("cut at %d: %d lines, the last is %d: %v", cut, len(lines), e.last().N, err)
			}
			for n := len(lines); n < 5; n++ {
				add(t, files, step(n))
			}
			if got := content(t, name); string(got) != string(whole) {
				t.Fatalf("cut at %d and gone on:\n%s", cut, cmp.Diff(string(whole), string(got)))
			}
			if kept, _ := filepath.Glob(name + ".torn-*"); len(kept) != 0 {
				t.Fatalf("cut at %d: what is written again needs not be kept: %v", cut, kept)
			}
		}
	}
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
