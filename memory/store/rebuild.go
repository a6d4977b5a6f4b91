package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// Rebuild folds the journal again and writes every book, archive and page that differs. Closed sessions that are in no
// step come into the journal, by the time of their close; unreadable ones are skipped. Files that differed are kept
// aside, and so is a journal that is damaged or behind the books: then its valid lines are used, and records of which
// only the books know come into it as a change. A book that lacks a session, or is of a newer version, is left as it
// is.
//
// [ErrNewer], [ErrUnreadable]: the journal; [ErrBusy]; any other error is the disk's. Killed at any point, it is done
// again; nothing else writes before it has ended.
func (s *Store) Rebuild(sessions ...council.SessionID) (Report, error) {
	return s.withLock(func(w *writer) error {
		mark, _ := atomicfile.Read(w.files, rebuildingFile)
		w.forgetting = strings.HasPrefix(string(mark), forgettingMark) // so was the rebuild that was cut off
		r, err := w.planRebuild(sessions)
		if err != nil {
			return err
		}
		return w.rebuild(r)
	})
}

type rebuildPlan struct {
	steps []memory.Step // the journal as it is to be
	books map[owner]*bookUpdate
	old   map[owner]diskBook // without the unreadable ones
}

func (w *writer) planRebuild(sessions []council.SessionID) (r rebuildPlan, err error) {
	steps, err := readSteps(w.files)
	salvage := errors.Is(err, ErrDamaged)
	if salvage {
		steps, err = salvageSteps(w.files)
	}
	if err != nil {
		return r, err
	}
	found, err := listOwners(w.files)
	if err != nil {
		return r, unreadable(w.dir, err)
	}
	r.old = map[owner]diskBook{}
	for _, o := range found {
		if v, err := w.read(w.files, o); err == nil {
			r.old[o] = v
		}
	}
	for _, v := range r.old { // one may have steps that the journal has not
		salvage = salvage || v.book.Step > 0 && !slices.ContainsFunc(steps, func(s memory.Step) bool {
			return s.N >= v.book.Step && slices.Contains(ownersOf(s), v.owner)
		})
	}
	for _, s := range w.missingSteps(steps, sessions) { // a damaged journal has lost them: they go where they were
		at := slices.IndexFunc(steps, func(o memory.Step) bool { return salvage && s.At.Before(o.At) })
		if at < 0 {
			at = len(steps)
		}
		steps = slices.Insert(steps, at, s)
	}
	r.steps = renumber(steps)
	var report Report
	r.books = w.refold(r.steps, &report)
	if salvage {
		w.salvage(&r, report.Lacks)
	} else {
		w.report.Left = append(w.report.Left, report.Left...)
	}
	for _, l := range report.Lacks {
		w.report.addLacking(l.Session, l.Err)
	}
	return r, nil
}

// missingSteps returns steps for the closed sessions that have none, by the time of their close.
func (w *writer) missingSteps(steps []memory.Step, sessions []council.SessionID) []memory.Step {
	there := map[council.SessionID]bool{}
	for _, s := range steps {
		if s.Session != nil {
			there[s.Session.ID] = true
		}
	}
	var found []memory.Step
	for _, id := range slices.Compact(slices.Sorted(slices.Values(sessions))) {
		if there[id] {
			continue
		}
		entries, _ := w.load(id)
		if wire.Closing(entries) >= 0 { // else it is under way, or cannot be read
			found = append(found, w.stepOf(id, 1, entries))
		}
	}
	slices.SortStableFunc(found, func(a, b memory.Step) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Session.ID, b.Session.ID))
	})
	return found
}

// salvage replaces the journal: without the sessions whose logs are lost, and with a change for the records that only
// the books and archives still have.
func (w *writer) salvage(r *rebuildPlan, lost []Lacking) {
	r.steps = renumber(slices.DeleteFunc(r.steps, func(s memory.Step) bool {
		return s.Session != nil && slices.ContainsFunc(lost, func(k Lacking) bool { return k.Session == s.Session.ID })
	}))
	r.books = w.refold(r.steps, w.report)
	for _, o := range slices.Sorted(maps.Keys(r.old)) {
		g := cmp.Or(r.books[o], newBookUpdate(absentBook(o)))
		c := memory.Change{By: "council", Verb: "import", Member: council.MemberID(o), Put: w.orphanRecords(g)}
		s := memory.Step{N: len(r.steps) + 1, At: memory.Precise(w.now()), Change: &c}
		if len(c.Put) == 0 {
			continue
		}
		if err := g.fold(w.rules, s, nil); err != nil {
			w.report.addLeft(o.path(o.book()), err)
			continue
		}
		r.steps, r.books[o] = append(r.steps, s), g
	}
}

// orphanRecords lists the records on disk that a folded book has not.
func (w *writer) orphanRecords(g *bookUpdate) []memory.Record {
	known := map[string]bool{}
	for _, r := range slices.Concat(g.book.Records, council.Map(g.archived, StoredRecord.record)) {
		known[r.ID] = true
	}
	var found []memory.Record
	held, _ := w.heldRecords(w.files, g.from.owner, "")
	for _, h := range held {
		if !known[h.ID] {
			found = append(found, h.Record)
		}
	}
	return found
}

func (w *writer) rebuild(r rebuildPlan) error {
	w.rebuilding = true
	if err := w.writeJournal(r.steps); err != nil {
		return fmt.Errorf("cannot write the journal of memory: %w", err)
	}
	for _, o := range slices.Sorted(maps.Keys(r.books)) {
		g := r.books[o]
		if g.failure != nil {
			continue
		}
		changed, err := w.replaceFiles(g, r.old)
		if err != nil {
			return err
		}
		if changed {
			w.report.Wrote = append(w.report.Wrote, Written{Member: council.MemberID(o)})
		}
	}
	if err := w.writeCategories(); err != nil {
		return err
	}
	err := w.files.Remove(rebuildingFile) // also that of an earlier process
	if w.rebuilding = false; errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, w.files.Sync())
}

// writeJournal writes the journal unless it has these steps. It keeps a copy of one that is not their beginning.
func (w *writer) writeJournal(steps []memory.Step) error {
	text, err := newJournal().linesAfter(steps)
	if err != nil {
		return err
	}
	held, err := atomicfile.Read(w.files, journalFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytes.Equal(held, text) {
		return nil
	}
	if err := w.markBegun(); err != nil {
		return err
	}
	if !bytes.HasPrefix(text, held) && !w.forgetting {
		// A copy, so that there is a journal at every moment.
		kept, err := atomicfile.KeepCopy(w.files, journalFile, atomicfile.Damaged, held, w.now())
		if err != nil {
			return err
		}
		w.report.Asides = append(w.report.Asides, Aside{Path: journalFile, Kept: kept})
	}
	return atomicfile.Write(w.files, journalFile, text)
}

// replaceFiles writes the files of a book, and keeps archives aside that the journal does not yield.
func (w *writer) replaceFiles(g *bookUpdate, old map[owner]diskBook) (changed bool, err error) {
	o := g.from.owner
	if _, err := w.read(w.files, o); errors.Is(err, ErrNewer) {
		w.report.addLeft(o.path(o.book()), err)
		return false, nil
	}
	if v, ok := old[o]; ok {
		g.from = v
	}
	wanted, err := g.allFiles()
	found, failed := archiveYears(w.files, o)
	if err := errors.Join(err, failed); err != nil {
		return changed, err
	}
	for _, year := range found {
		if len(g.leftByYear()[year]) == 0 {
			wanted = append(wanted, absentFile(o.archivePage(year)), absentFile(o.archive(year)))
		}
	}
	err = w.within(o, func(folder atomicfile.Files) (err error) {
		changed, _, err = w.placeFiles(o.folder(), folder, wanted)
		return err
	})
	return changed, err
}

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
		r := rebuildPlan{steps: renumber(steps)}
		var report Report
		r.books = w.refold(r.steps, &report)
		if len(report.Left) > 0 {
			return report.Left[0].Err
		}
		w.forgetting, w.holds = true, holds
		for o := range r.books {
			if err := w.within(o, atomicfile.Tidy); err != nil { // an unfinished write may hold what is forgotten
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
	steps, err := inFolder(s, readSteps)
	for _, s := range steps {
		if s.Change != nil {
			for _, r := range slices.Concat(s.Change.Put, s.Change.Before) {
				all = append(all, StoredRecord{Record: r, Member: s.Change.Member})
			}
		}
	}
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
