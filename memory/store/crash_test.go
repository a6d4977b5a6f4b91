package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// twoBooks lets a session concern one member beside the council: the others are written as the first is.
var twoBooks = store.Folding(smallClose, smallApply,
	func(e []wire.Entry) []council.MemberID { return smallMembers(e)[:1] })

// stride is the distance between the operations that are struck.
var stride = counciltest.Often(9, 1)

// moments are those at which an operation can be struck: only a write has a half. The plain tests take one.
func moments(plan *filetest.Plan, at int) []filetest.Moment {
	all := []filetest.Moment{filetest.Before, filetest.After}
	if strings.HasPrefix(plan.Operations()[at-1], "write ") {
		all = append(all, filetest.Half)
	}
	if !counciltest.Long() {
		return all[at/stride%len(all):][:1]
	}
	return all
}

// strike kills do at operations of an unkilled run, before, half-way and after, completes it by finish, and compares
// the files with those of the unkilled run.
func strike(t *testing.T, name, from string, load store.Option, do, finish func(*store.Store) error,
	compare func(want, got map[string]string) string) {
	t.Helper()
	plan := &filetest.Plan{NoSync: true}
	whole := copyTree(t, from)
	check.OK(t, do(open(t, whole, load, store.Through(plan.Watch))))
	want := tree(t, whole)
	for at := 1; at <= plan.Count(); at += stride {
		for _, moment := range moments(plan, at) {
			dir := copyTree(t, from)
			killed := &filetest.Plan{At: at, Moment: moment, NoSync: true}
			_ = do(open(t, dir, load, store.Through(killed.Watch)))
			err := finish(open(t, dir, load))
			if diff := compare(want, tree(t, dir)); err != nil || diff != "" {
				t.Fatalf("%s, killed at %d (%s, moment %d): %v\n%s", name, at, killed.Struck(), moment, err, diff)
			}
		}
	}
}

// settledTree returns the files without locks, files kept aside and temporary files.
func settledTree(all map[string]string) map[string]string {
	return without(without(without(without(all, ".lock"), ".damaged-"), ".edited-"), ".tmp")
}

func compareAll(want, got map[string]string) string {
	return cmp.Diff(without(want, ".lock"), without(got, ".lock"))
}

func compareSettled(want, got map[string]string) string {
	return cmp.Diff(settledTree(want), settledTree(got))
}

// It strikes a close, two at once and a change.
func TestStore_KilledAtAnyWrite(t *testing.T) {
	counciltest.NotUnderRace(t)
	type act = func(*store.Store) error
	then := func(all ...act) act {
		return func(s *store.Store) (err error) {
			for _, do := range all {
				err = errors.Join(err, do(s))
			}
			return err
		}
	}
	closing := func(sessions ...memory.Session) act {
		return func(s *store.Store) error { _, err := s.Close(sessions...); return err }
	}
	recover := func(s *store.Store) error { return errors.Join(check.Err(s.Recover()), check.Err(s.Close())) }
	rebuild := func(s *store.Store) error { _, err := s.Rebuild(); return err }
	for _, before := range []int{0, 4} { // sessions: by the fifth every book is full, and the year has changed
		past, next, later := sittings(before), sitting(before), sitting(before+1)
		load := both(store.Sessions(archiveOf(append(past, next, later)...)), twoBooks)
		origin := filledBy(t, load, past...)
		one, two := closing(next), closing(next, later)
		for name, finish := range map[string]act{"closed again": one, "recovered and closed again": then(recover, one),
			"closed again and rebuilt": then(one, rebuild)} {
			strike(t, name, origin, load, one, finish, compareAll)
		}
		for name, finish := range map[string]act{"two closed again": two,
			"two recovered and closed one by one": then(recover, one, closing(later))} {
			strike(t, name, origin, load, two, finish, compareAll)
		}
		if before == 0 {
			continue
		}
		change := func(s *store.Store) error {
			_, err := s.Change(changeOf("", record("r-byaperson000", "Never on Fridays", start, "")), start)
			return err
		}
		untouched := without(without(tree(t, origin), ".lock"), "journal")
		strike(t, "a change recovered", origin, load, change, recover, func(want, got map[string]string) string {
			if cmp.Equal(without(without(got, ".lock"), "journal"), untouched) {
				return "" // it never came into force
			}
			return compareAll(want, got)
		})
	}
}

func TestRebuild_KilledAndRepeated(t *testing.T) {
	counciltest.NotUnderRace(t)
	past := sittings(5)
	load := both(store.Sessions(archiveOf(past...)), twoBooks)
	origin := filledBy(t, load, past...)
	want := tree(t, origin)
	for name, harm := range map[string]func(dir string){
		"a book garbled":  func(dir string) { write(t, dir+"/COUNCIL.json", "{") },
		"an archive lost": func(dir string) { remove(t, dir+"/m1/MEMORY-2026.json") },
		"a journal cut":   func(dir string) { cutFile(t, dir+"/journal.jsonl", 0.6) },
		"a journal lost":  func(dir string) { remove(t, dir+"/journal.jsonl") },
	} {
		harmed := copyTree(t, origin)
		harm(harmed)
		var ids []council.SessionID
		for _, s := range past {
			ids = append(ids, s.ID)
		}
		rebuild := func(s *store.Store) error { _, err := s.Rebuild(ids...); return err }
		strike(t, name, harmed, load, rebuild, rebuild,
			func(_, got map[string]string) string { return compareSettled(want, got) })
	}
}

func TestRebuild_HalfDoneStopsWriters(t *testing.T) {
	past := sittings(3)
	dir := withLists(t, past...)
	write(t, dir+"/.rebuilding", "since some time\n")
	s := open(t, dir, store.Sessions(archiveOf(append(past, sitting(3))...)))
	check.ErrorIs(t, "a close", store.ErrRebuilding, check.Err(s.Close(sitting(3))))
	if _, err := s.Book("m1"); err != nil {
		t.Errorf("reading goes on: %v", err)
	}
	if _, err := s.Rebuild(); err != nil {
		t.Fatal(err)
	}
	report := mustClose(t, s, sitting(3))
	check.That(t, len(report.Wrote) > 0, "%+v", report)
}

// Each catches up the sessions that it can read.
func TestStore_SharedByTwoWorkspaces(t *testing.T) {
	all := sittings(4)
	dir := filepath.Join(t.TempDir(), "memory")
	one, other := open(t, dir, store.Sessions(archiveOf(all[0], all[2]))),
		open(t, dir, store.Sessions(archiveOf(all[1], all[3])))
	mustClose(t, one, all[0])
	book := filepath.Join(dir, "COUNCIL.json")
	held := check.Get(os.ReadFile(book))(t)
	write(t, book, "{")
	mustClose(t, other, all[1])
	mustClose(t, one, all[2])
	write(t, book, string(held))
	report := mustClose(t, other, all[3]) // catches up its own session, and not the other's
	check.That(t, len(report.Left) == 1 && errors.Is(report.Left[0].Err, store.ErrBehind) && len(report.Lacks) == 1 &&
		report.Lacks[0].Session == all[2].ID, "%+v", report)
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
	if report, err := s.Rebuild(all[3].ID); err != nil || len(report.Wrote)+len(report.Asides) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	check.Equal(t, "files", before, tree(t, dir))
	report, err := s.Rebuild(sitting(8).ID, all[0].ID)
	check.That(t, err == nil && len(report.Asides) == 0, "%+v, %v", report, err)
	check.Equal(t, "a session that was in no step", tree(t, withLists(t, sittings(9)...)), tree(t, dir))
}

func TestRebuild_KeepsBooksWithoutLogs(t *testing.T) {
	all := sittings(4)
	dir := withLists(t, all...)
	before := tree(t, dir)
	report, err := open(t, dir, store.Sessions(archiveOf(all[1:]...))).Rebuild()
	check.That(t, err == nil && len(report.Left) == 4 && len(report.Lacks) == 1, "%+v, %v", report, err)
	check.Equal(t, "files", before, tree(t, dir))
}
