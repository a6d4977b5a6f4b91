package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/wire"
)

func TestClose_ConcurrentStores(t *testing.T) {
	all := sittings(24)
	dir := filepath.Join(t.TempDir(), "memory")
	var writers sync.WaitGroup
	for i := range 4 {
		s := open(t, dir, store.Sessions(archiveOf(all...)))
		writers.Go(func() {
			for n := i; n < len(all); n += 4 {
				if _, err := s.Close(all[n]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	found, err := s.Check()
	b, bookErr := s.Book("")
	if err := errors.Join(err, bookErr); err != nil || len(found) != 0 || b.Sessions != len(all) {
		t.Errorf("%v; %d sessions; %+v", err, b.Sessions, found)
	}
}

func TestClose_ManyAtOnceWriteOnce(t *testing.T) {
	all := sittings(20)
	count := func(dir string, sessions ...memory.Session) (report store.Report, count map[string]int) {
		plan := &filetest.Plan{NoSync: true}
		report, err := open(t, dir, store.Sessions(archiveOf(all...)), store.Through(plan.Watch)).Close(sessions...)
		check.OK(t, err)
		count = map[string]int{}
		for _, one := range plan.Operations() {
			words := strings.Fields(one) // such as: rename MEMORY.json #2
			if what := words[0] + " " + words[1]; what == "write journal.jsonl" || what == "rename MEMORY.json" {
				count[what]++
			}
		}
		return report, count
	}
	dir := withLists(t, all[:3]...)
	report, together := count(dir, all[2:]...)
	diff := cmp.Diff(tree(t, withLists(t, all...)), tree(t, dir))
	if diff != "" || !report.Done || len(report.Wrote) != 4 {
		t.Errorf("%+v\n%s", report, diff)
	}
	_, alone := count(withLists(t, all[:3]...), all[3])
	want := map[string]int{"write journal.jsonl": 1, "rename MEMORY.json": 3}
	if !cmp.Equal(want, together) || !cmp.Equal(want, alone) {
		t.Errorf("%v at once, and %v alone", together, alone)
	}
}

// Each catches up the sessions that it can read.
func TestStore_SharedByTwoWorkspaces(t *testing.T) {
	all := sittings(4)
	dir := filepath.Join(t.TempDir(), "memory")
	one, other := open(t, dir, store.Sessions(archiveOf(all[0], all[2]))),
		open(t, dir, store.Sessions(archiveOf(all[1], all[3])))
	mustClose(t, one, all[0])
	book := filepath.Join(dir, "COUNCIL.json")
	held, err := os.ReadFile(book)
	check.OK(t, err)
	write(t, book, "{")
	mustClose(t, other, all[1])
	mustClose(t, one, all[2])
	write(t, book, string(held))
	report := mustClose(t, other, all[3]) // catches up its own session, and not the other's
	if len(report.Left) != 1 || !errors.Is(report.Left[0].Err, store.ErrBehind) || len(report.Lacks) != 1 ||
		report.Lacks[0].Session != all[2].ID {
		t.Errorf("%+v", report)
	}
	for _, s := range []*store.Store{one, other} {
		check.Get(s.Recover())(t)
	}
	check.Equal(t, "files", tree(t, withLists(t, all...)), tree(t, dir))
}

func TestRebuild_CorrectMemoryStays(t *testing.T) {
	all := sittings(8)
	dir := withLists(t, all...)
	before := tree(t, dir)
	s := open(t, dir, store.Sessions(archiveOf(append(all, sitting(8))...)))
	if report, err := s.Rebuild(all[3].ID); err != nil || report.Done || len(report.Wrote)+len(report.Asides) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	check.Equal(t, "files", before, tree(t, dir))
	report, err := s.Rebuild(sitting(8).ID, all[0].ID)
	if err != nil || !report.Done || len(report.Asides) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	check.Equal(t, "a session that was in no step", tree(t, withLists(t, sittings(9)...)), tree(t, dir))
}

func TestRebuild_KeepsBooksWithoutLogs(t *testing.T) {
	all := sittings(4)
	dir := withLists(t, all...)
	before := tree(t, dir)
	report, err := open(t, dir, store.Sessions(archiveOf(all[1:]...))).Rebuild()
	if err != nil || len(report.Left) != 4 || len(report.Lacks) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	check.Equal(t, "files", before, tree(t, dir))
}

func TestRebuild_ByTheRealRules(t *testing.T) {
	load := store.Sessions(func(id council.SessionID) ([]wire.Entry, error) {
		var n int
		_, err := fmt.Sscanf(string(id[len(id)-6:]), "%d", &n)
		return spoken(n).Entries, err
	})
	unsynced := store.Through((&filetest.Plan{NoSync: true}).Watch)
	s, err := store.Open(filepath.Join(t.TempDir(), "memory"), load, unsynced)
	check.OK(t, err)
	sessions := counciltest.Often(18, 40)
	for n := range sessions {
		mustClose(t, s, spoken(n))
	}
	found, err := s.Check()
	report, rebuildErr := s.Rebuild()
	if err := errors.Join(err, rebuildErr); err != nil || len(found) != 0 || len(report.Wrote)+len(report.Asides) != 0 {
		t.Errorf("%v; %+v; %+v", err, found, report)
	}
	if b, err := s.Book(""); err != nil || len(b.Records) != memory.MaxRecords || b.Sessions != sessions {
		t.Errorf("%d records of %d sessions: %v", len(b.Records), b.Sessions, err)
	}
}
