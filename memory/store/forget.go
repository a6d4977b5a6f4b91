package store

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// Forget takes records out of memory. The journal is written anew without them and names their ids; books, archives and
// pages are folded from it again. Nothing of them is kept aside, and files set aside before that hold such words are
// removed. Words of sessions must have been erased from their logs before. It is refused, and nothing changes, when the
// journal or a log it needs cannot be read.
//
// Errors are those of [Store.Rebuild]. Killed at any point, it is finished by the same call or by a rebuild.
func (s *Store) Forget(records []StoredRecord, holds func(string) bool, by string, at time.Time) (Report, error) {
	return s.withLock(func(w *writer) error {
		steps, err := readSteps(w.files)
		if err != nil {
			return err
		}
		steps = append(steps, dropSteps(records, steps, by, memory.Precise(at))...)
		for i, s := range steps {
			if s.Change != nil {
				c := *s.Change
				c.Put, c.Before = withoutRecords(c.Put, records), withoutRecords(c.Before, records)
				steps[i].Change = &c
			}
		}
		r := rebuildPlan{steps: renumber(steps), salvage: true}
		var report Report
		r.books = w.refold(r.steps, &report)
		if len(report.Left) > 0 {
			return report.Left[0].Err
		}
		w.forgetting, w.holds = true, holds
		for o := range r.books {
			folder, err := w.folder(o)
			if err == nil {
				err = atomicfile.Tidy(folder) // an unfinished write may hold what is forgotten
			}
			if err != nil {
				return err
			}
		}
		if err := w.removeAsides(w.files, journalFile); err != nil {
			return err
		}
		return w.rebuild(r)
	})
}

// Changed lists the versions of records that people's changes in the journal hold.
func (s *Store) Changed() (all []StoredRecord, err error) {
	err = s.withFolder(func(files atomicfile.Files) error {
		steps, err := readSteps(files)
		for _, s := range steps {
			if s.Change != nil {
				for _, r := range slices.Concat(s.Change.Put, s.Change.Before) {
					all = append(all, StoredRecord{Record: r, Member: s.Change.Member})
				}
			}
		}
		return err
	})
	return all, err
}

// dropSteps returns the steps that drop the records which no step drops yet, one for each book.
func dropSteps(records []StoredRecord, steps []memory.Step, by string, at time.Time) (all []memory.Step) {
	var dropped []string
	for _, s := range steps {
		if s.Change != nil {
			dropped = append(dropped, s.Change.Drop...)
		}
	}
	books := map[council.MemberID][]string{}
	for _, r := range records {
		if !slices.Contains(dropped, r.ID) {
			books[r.Member] = append(books[r.Member], r.ID)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(books)) {
		slices.Sort(books[m])
		all = append(all, memory.Step{At: at, Change: &memory.Change{
			By: by, Verb: "forget", Member: m, Put: []memory.Record{}, Drop: books[m],
		}})
	}
	return all
}

// withoutRecords returns the records whose ids none of the others has.
func withoutRecords(records []memory.Record, others []StoredRecord) []memory.Record {
	return slices.DeleteFunc(withLists(records), func(r memory.Record) bool {
		return slices.ContainsFunc(others, func(h StoredRecord) bool { return h.ID == r.ID })
	})
}

// forgettingMark begins the mark of a rebuild that keeps nothing aside.
const forgettingMark = "forgetting"

// removeAsides removes the copies of a file that were kept aside and hold forgotten words.
func (w *writer) removeAsides(folder atomicfile.Files, name string) error {
	if w.holds == nil {
		return nil
	}
	var failed error
	err := atomicfile.Sweep(folder, func(kept string) bool {
		if !strings.HasPrefix(kept, name+".") || !atomicfile.IsAside(kept) {
			return false
		}
		text, err := atomicfile.Read(folder, kept)
		failed = errors.Join(failed, unreadable(kept, err))
		return err == nil && w.holds(string(text))
	})
	return errors.Join(failed, err)
}
