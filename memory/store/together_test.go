package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory/store"
)

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
