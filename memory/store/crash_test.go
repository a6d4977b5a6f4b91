package store_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/wire"
)

// deed is something that writes memory, and how the same is brought to its end after it was killed.
type deed struct {
	name   string
	do     func(*store.Store) error
	finish map[string]func(*store.Store) error
}

// twoBooks lets a session concern one member beside the council: the others are written as the first is.
var twoBooks = store.Folding(smallClose, smallApply,
	func(e []wire.Entry) []council.MemberID { return smallMembers(e)[:1] })

func deeds(next memory.Session, later ...memory.Session) []deed {
	add := memory.Change{By: "ann", Verb: "add",
		Put: []memory.Record{record("r-byaperson000", "Never on Fridays", start, "")}}
	closing := func(sessions ...memory.Session) func(*store.Store) error {
		return func(s *store.Store) error { _, err := s.Close(sessions...); return err }
	}
	closeIt, together := closing(next), closing(append([]memory.Session{next}, later...)...)
	change := func(s *store.Store) error { _, err := s.Change(add, start); return err }
	recover := func(s *store.Store) error { _, err := s.Recover(); return err }
	rebuild := func(s *store.Store) error { _, err := s.Rebuild(); return err }
	then := func(all ...func(*store.Store) error) func(*store.Store) error {
		return func(s *store.Store) error {
			var errs []error
			for _, do := range all {
				errs = append(errs, do(s))
			}
			return errors.Join(errs...)
		}
	}
	return []deed{
		{"close", closeIt, map[string]func(*store.Store) error{
			"closed again": closeIt, "recovered, then closed again": then(recover, closeIt),
			"closed again, then rebuilt": then(closeIt, rebuild),
		}},
		{"closes at once", together, map[string]func(*store.Store) error{
			"closed again": together, "recovered, then closed one by one": then(recover, closeIt, closing(later[0])),
		}},
		// What was not acknowledged may have come into force or not: done again it stands there once, or in two steps.
		{"change", change, map[string]func(*store.Store) error{"recovered": recover}},
	}
}

// stride is the distance between the operations that are struck.
var stride = counciltest.Often(5, 1)

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

// TestKilledAnywhereTheTreeIsThatOfAnUnkilledRun strikes every operation of a close and of a change, before, half-way
// and after it; what was torn off stays beside as evidence.
func TestKilledAnywhereTheTreeIsThatOfAnUnkilledRun(t *testing.T) {
	counciltest.NotUnderRace(t)
	for _, before := range []int{0, 4} { // sessions: by the fifth every book is full, and the year has changed
		past, next, later := sittings(before), sitting(before), sitting(before+1)
		load := both(store.Sessions(archiveOf(append(past, next, later)...)), twoBooks)
		origin := filledBy(t, load, past...)
		for _, d := range deeds(next, later) {
			if d.name == "change" && before == 0 {
				continue
			}
			plan := &filetest.Plan{NoSync: true}
			whole := copyTree(t, origin)
			counciltest.Check(t, d.do(open(t, whole, load, store.Through(plan.Watch))))
			want, untouched := tree(t, whole), tree(t, origin)
			for finish, end := range d.finish {
				for at := 1; at <= plan.Count(); at += stride {
					for _, moment := range moments(plan, at) {
						dir := copyTree(t, origin)
						killed := &filetest.Plan{At: at, Moment: moment, NoSync: true}
						_ = d.do(open(t, dir, load, store.Through(killed.Watch)))
						if err := end(open(t, dir, load)); err != nil {
							t.Fatalf("%s after %d, killed at %d (%s, moment %d), %s: %v",
								d.name, before, at, killed.Struck(), moment, finish, err)
						}
						got := tree(t, dir)
						if d.name == "change" && cmp.Equal(without(without(got, ".lock"), "journal"),
							without(without(untouched, ".lock"), "journal")) {
							continue // it never came into force
						}
						if diff := cmp.Diff(without(want, ".lock"), without(got, ".lock")); diff != "" {
							t.Fatalf("%s after %d, killed at %d (%s, moment %d), %s:\n%s",
								d.name, before, at, killed.Struck(), moment, finish, diff)
						}
					}
				}
			}
		}
	}
}

// TestADiskThatFailsLosesNothing: the error is told, and the next close of another session makes it good.
func TestADiskThatFailsLosesNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	past, next, later := sittings(4), sitting(4), sitting(5)
	load := both(store.Sessions(archiveOf(append(past, next, later)...)), twoBooks)
	origin := filledBy(t, load, past...)
	whole := filledBy(t, load, append(past, next, later)...)
	want := tree(t, whole)
	plan := &filetest.Plan{NoSync: true}
	if _, err := open(t, copyTree(t, origin), load, store.Through(plan.Watch)).Close(next); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= plan.Count(); at += stride {
		for _, fault := range []error{syscall.ENOSPC, syscall.EIO} {
			dir := copyTree(t, origin)
			failing := &filetest.Plan{At: at, Err: fault, Forever: true, NoSync: true}
			_, err := open(t, dir, load, store.Through(failing.Watch)).Close(next)
			if err == nil && !strings.HasSuffix(failing.Struck(), ".lock") {
				t.Errorf("at %d (%s) nothing is said of %v", at, failing.Struck(), fault)
			}
			s := open(t, dir, load)
			if _, err := s.Close(next); err != nil {
				t.Fatalf("at %d (%s): %v", at, failing.Struck(), err)
			}
			mustClose(t, s, later)
			if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
				t.Fatalf("%v at %d (%s):\n%s", fault, at, failing.Struck(), diff)
			}
		}
	}
}

// TestARebuildThatIsKilledIsDoneAgain: half a rebuild lets nothing else write, and the next one ends it.
func TestARebuildThatIsKilledIsDoneAgain(t *testing.T) {
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
		plan := &filetest.Plan{NoSync: true}
		if _, err := open(t, copyTree(t, harmed), load, store.Through(plan.Watch)).Rebuild(ids...); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for at := 1; at <= plan.Count(); at += stride {
			for _, moment := range moments(plan, at) {
				dir := copyTree(t, harmed)
				killed := &filetest.Plan{At: at, Moment: moment, NoSync: true}
				_, _ = open(t, dir, load, store.Through(killed.Watch)).Rebuild(ids...)
				if _, err := open(t, dir, load).Rebuild(ids...); err != nil {
					t.Fatalf("%s, killed at %d (%s): %v", name, at, killed.Struck(), err)
				}
				got := without(without(without(tree(t, dir), ".damaged-"), ".edited-"), ".tmp")
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s, killed at %d (%s, moment %d):\n%s", name, at, killed.Struck(), moment, diff)
				}
			}
		}
	}
}

func TestHalfARebuildIsNamed(t *testing.T) {
	past := sittings(3)
	dir := filled(t, past...)
	write(t, dir+"/.rebuilding", "since some time\n")
	s := open(t, dir, store.Sessions(archiveOf(append(past, sitting(3))...)))
	if _, err := s.Close(sitting(3)); !errors.Is(err, store.ErrRebuilding) {
		t.Errorf("a close: %v, want ErrRebuilding", err)
	}
	if _, err := s.Book("m1"); err != nil {
		t.Errorf("reading goes on: %v", err)
	}
	if _, err := s.Rebuild(); err != nil {
		t.Fatal(err)
	}
	if report := mustClose(t, s, sitting(3)); report.Step != 4 {
		t.Errorf("%+v", report)
	}
}
