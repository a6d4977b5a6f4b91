package ledger_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/ledger"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func fixed() time.Time { return noon }

// folder returns the folder of a workspace.
func folder(t testing.TB, path string) atomicfile.Files {
	t.Helper()
	files := check.Get(atomicfile.OpenDir(path))(t)
	t.Cleanup(func() { _ = files.Close() })
	return files
}

func call(tokens int64) audit.Entry {
	return audit.Entry{Type: audit.TypeCall, Session: "s", Model: "p/m", Tokens: tokens, Cost: council.Dollar}
}

// add appends calls of one token.
func add(t testing.TB, l *ledger.Ledger, n int) {
	t.Helper()
	for range n {
		check.Get(l.Append(call(1)))(t)
	}
}

// spent returns the spending of 24 hours.
func spent(t testing.TB, l *ledger.Ledger) int64 {
	t.Helper()
	tokens, only := int64(-1), errors.New("only asked")
	_, err := l.Decide(func(d *audit.Day) (audit.Entry, error) { tokens = d.Tokens; return audit.Entry{}, only })
	if !errors.Is(err, only) {
		t.Fatal(err)
	}
	return tokens
}

// read returns the numbers of the entries from one on.
func read(t testing.TB, files atomicfile.Files, from int64) (seqs []int64) {
	t.Helper()
	for e, err := range ledger.Read(files, from) {
		check.OK(t, err)
		seqs = append(seqs, e.Seq)
	}
	return seqs
}

// whole verifies a ledger and returns its number of entries.
func whole(t testing.TB, files atomicfile.Files) int64 {
	t.Helper()
	r := check.Get(ledger.Verify(files, func(audit.Entry) {}))(t)
	return r.Entries
}

func TestRead_YieldsAppendedEntries(t *testing.T) {
	files := folder(t, t.TempDir())
	if n := whole(t, files); n != 0 || len(read(t, files, 1)) != 0 {
		t.Fatalf("%d entries before the first", n)
	}
	want := audit.Entry{Type: audit.TypeDenied, Action: "x", Session: "s", Ask: "a", Member: "m", By: "b\u202e", What: "w",
		Model: "p/m", Digest: "d", Rule: "r", Why: "y", Of: 1, Tokens: 2, Cost: 3, Unknown: true, Events: 4, Due: noon}
	seq := check.Get(ledger.Open(files, fixed).Append(want))(t)
	want.Seq, want.At = seq, noon
	for got, err := range ledger.Read(files, 1) {
		if diff := cmp.Diff(want, got); diff != "" || err != nil || seq != 1 {
			t.Fatalf("entry %d, %v\n%s", seq, err, diff)
		}
	}
}

// Lines of a kilobyte, so that a list of the latest entries begins in the middle of the file.
func TestRead_BeginsAtAnyEntry(t *testing.T) {
	files := folder(t, t.TempDir())
	a, b := ledger.Open(files, fixed), ledger.Open(files, fixed)
	big := call(1)
	big.Why = strings.Repeat("y", 1000)
	for range 20 {
		check.Get(a.Append(big))(t)
		check.Get(b.Append(big))(t)
	}
	if n := whole(t, files); n != 40 || spent(t, ledger.Open(files, fixed)) != 40 {
		t.Fatalf("%d entries of 40", n)
	}
	for from := range int64(42) {
		seqs := read(t, files, from)
		if n := 41 - max(from, 1); int64(len(seqs)) != n || n > 0 && seqs[0] != max(from, 1) {
			t.Fatalf("from %d: %v", from, seqs)
		}
	}
}

// Eight processes append; the chain is one. The long version appends 500 each.
func TestAppend_FromEightProcesses(t *testing.T) {
	n := counciltest.Often(10, 500)
	if path := os.Getenv("COUNCIL_LEDGER"); path != "" {
		add(t, ledger.Open(folder(t, path), time.Now), n)
		return
	}
	path := t.TempDir()
	var all []*exec.Cmd
	for range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAppend_FromEightProcesses$")
		cmd.Env = append(os.Environ(), "COUNCIL_LEDGER="+path)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		check.OK(t, cmd.Start())
		all = append(all, cmd)
	}
	for _, cmd := range all {
		check.OK(t, cmd.Wait())
	}
	files := folder(t, path)
	if got := whole(t, files); got != int64(8*n) || len(read(t, files, 1)) != 8*n {
		t.Errorf("%d entries of %d", got, 8*n)
	}
}

func TestAppend_GroupsWaitingEntries(t *testing.T) {
	plan := &filetest.Plan{}
	files := plan.Watch(folder(t, t.TempDir()))
	l := ledger.Open(files, fixed)
	add(t, l, 1)
	before := plan.Count()
	var all sync.WaitGroup
	held := make(chan bool)
	all.Go(func() { // holds the commit until the others wait
		_, _ = l.Decide(func(*audit.Day) (audit.Entry, error) { held <- true; <-held; return call(1), nil })
	})
	<-held
	for range 20 {
		all.Go(func() { add(t, l, 1) })
	}
	for l.Waiting() < 20 {
		runtime.Gosched()
	}
	held <- true
	all.Wait()
	// An append writes the name of who has the lock, its line, a sync, and the head; the groups are of 1 and 20.
	if n := plan.Count() - before; n > 2*10 {
		t.Errorf("%d operations for 21 entries: %v", n, plan.Operations()[before:])
	}
	check.Is(t, "entries of 22", 22, whole(t, files))
}

func TestDecide_ReadsOneDay(t *testing.T) {
	path := t.TempDir()
	at := noon.Add(-72 * time.Hour)
	clock := func() time.Time { return at }
	l, big := ledger.Open(folder(t, path), clock), call(1)
	big.Why = strings.Repeat("y", 1000)
	for range 72 {
		at = at.Add(time.Hour)
		check.Get(l.Append(big))(t)
	}
	got := spent(t, ledger.Open(folder(t, path), fixed))
	check.That(t, got == 24 && spent(t, l) == 24, "%d spent within a day, want 24", got)
	n := 0
	for _, err := range ledger.Since(folder(t, path), noon.Add(-9*time.Hour)) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	check.Is(t, "entries since nine hours, 10", 10, n)
}

func TestDecide_SurvivesAClockThatIsSetBack(t *testing.T) {
	path, at := t.TempDir(), noon
	clock := func() time.Time { return at }
	l := ledger.Open(folder(t, path), clock)
	both := func(want int64, when string) {
		t.Helper()
		if kept, fresh := spent(t, l), spent(t, ledger.Open(folder(t, path), clock)); kept != want || fresh != want {
			t.Errorf("%s: %d spent, and %d for who opens it now; want %d", when, kept, fresh, want)
		}
	}
	add(t, l, 3)
	at = noon.AddDate(-1, 0, 0)
	both(3, "a year back")
	add(t, l, 2)
	both(5, "and more spent")
	at = at.Add(30 * time.Hour)
	both(5, "a day later")
	at = noon.Add(time.Hour)
	both(5, "set right")
	at = noon.Add(25 * time.Hour)
	both(0, "the day after")
}

// A settlement is not synced by itself, but with the next entry, or when the ledger is closed.
func TestClose_SyncsTheLastLine(t *testing.T) {
	path := t.TempDir()
	plan := &filetest.Plan{}
	l := ledger.Open(plan.Watch(folder(t, path)), fixed)
	add(t, l, 1)
	check.Get(l.Append(audit.Entry{Type: audit.TypeSettled, Of: 1, Tokens: 5}))(t)
	syncs := func() (n int) {
		for _, op := range plan.Operations() {
			if strings.HasPrefix(op, "sync audit.jsonl") {
				n++
			}
		}
		return n
	}
	if before := syncs(); before != 0 || l.Close() != nil || syncs() != 1 {
		t.Errorf("%d syncs before the close, %d after it", before, syncs())
	}
	check.Is(t, "opened again", 5, spent(t, ledger.Open(folder(t, path), fixed)))
	file := filepath.Join(path, ledger.Folder, "audit.jsonl")
	text := check.Get(os.ReadFile(file))(t)
	check.OK(t, os.WriteFile(file, []byte(strings.Join(strings.SplitAfter(string(text), "\n")[:2], "")), 0o600))
	check.ErrorIs(t, "the last line is missing", ledger.ErrDamaged, check.Err(ledger.Verify(folder(t, path), nil)))
}
