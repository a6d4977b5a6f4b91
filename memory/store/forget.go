package store

import (
	"errors"
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
func (s *Store) Forget(ids []string, holds func(string) bool, by string, at time.Time) (Report, error) {
	return s.hold(func(w *writing) error {
		steps, err := readSteps(w.files)
		if err != nil {
			return err
		}
		drops, err := w.drops(undropped(ids, steps), by, memory.Precise(at))
		if err != nil {
			return err
		}
		for i, s := range steps {
			if s.Change != nil {
				c := *s.Change
				c.Put, c.Before = without(c.Put, ids), without(c.Before, ids)
				steps[i].Change = &c
			}
		}
		r := rebuilding{steps: numbered(append(steps, drops...)), salvage: true}
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
		if err := w.disown(w.files, journalFile); err != nil {
			return err
		}
		return w.rebuild(r)
	})
}

// Changed lists the versions of records that people's changes in the journal hold.
func (s *Store) Changed() (all []Held, err error) {
	return all, s.look(func(files atomicfile.Files) error {
		steps, err := readSteps(files)
		for _, s := range steps {
			if s.Change != nil {
				for _, r := range slices.Concat(s.Change.Put, s.Change.Before) {
					all = append(all, Held{Record: r, Member: s.Change.Member})
				}
			}
		}
		return err
	})
}

// undropped returns the ids that no step drops yet: a forgetting that was killed goes on with its own steps.
func undropped(ids []string, steps []memory.Step) []string {
	ids = slices.Clone(ids)
	for _, s := range steps {
		if s.Change != nil {
			ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(s.Change.Drop, id) })
		}
	}
	return ids
}

// drops returns the steps that drop records, one for each book that has some of them.
func (w *writing) drops(ids []string, by string, at time.Time) ([]memory.Step, error) {
	all, err := owners(w.files)
	if err != nil {
		return nil, err
	}
	var steps []memory.Step
	for _, o := range all {
		var gone []string
		held, failed := w.held(w.files, o, "")
		if len(failed) > 0 {
			return nil, failed[0]
		}
		for _, h := range held {
			if slices.Contains(ids, h.ID) {
				gone = append(gone, h.ID)
			}
		}
		if len(gone) > 0 {
			slices.Sort(gone)
			steps = append(steps, memory.Step{At: at, Change: &memory.Change{
				By: by, Verb: "forget", Member: council.MemberID(o), Put: []memory.Record{}, Drop: gone,
			}})
		}
	}
	return steps, nil
}

// without returns the records whose ids are not among these.
func without(records []memory.Record, ids []string) []memory.Record {
	return slices.DeleteFunc(filled(records), func(r memory.Record) bool { return slices.Contains(ids, r.ID) })
}

// forgettingMark begins the mark of a rebuild that keeps nothing aside, because what was there is to be forgotten.
const forgettingMark = "forgetting"

// disown removes what was kept aside of a file where it holds words that are forgotten.
func (w *writing) disown(folder atomicfile.Files, name string) error {
	if w.holds == nil {
		return nil
	}
	var failed error
	err := atomicfile.Sweep(folder, func(kept string) bool {
		if !strings.HasPrefix(kept, name+".") || !atomicfile.IsAside(kept) {
			return false
		}
		text, err := atomicfile.Read(folder, kept)
		failed = errors.Join(failed, unread(kept, err))
		return err == nil && w.holds(string(text))
	})
	return errors.Join(failed, err)
}
