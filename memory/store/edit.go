package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// Edit is a person's edit of a book or its page. Nothing uses it before it is accepted: see [Store.Change].
type Edit struct {
	Member      council.MemberID // whose book; empty for the council's
	Path        string           // of the file, within the folder of memory
	Corrections []memory.Correction
	Err         error // an [ErrEdit] with the file and the line

	text []byte // of the file
	step int    // of the edited book
}

func (s *Store) findEdits(files atomicfile.Files, v diskBook) (all []Edit) {
	o := v.owner
	add := func(name string, text []byte, records []memory.Edited, err error) {
		e := Edit{Member: council.MemberID(o), Path: o.path(name), text: text, step: v.book.Step}
		if err == nil {
			e.Corrections, err = memory.Corrections(v.book, records, s.now())
		}
		if err != nil {
			e.Err = fmt.Errorf("%w: %s:%w", ErrEdit, e.Path, err)
		}
		if err != nil || len(e.Corrections) > 0 {
			all = append(all, e)
		}
	}
	if v.edit != nil {
		records, err := editedBook(v.book, v.edit)
		add(o.book(), v.edit, records, err)
	}
	page, err := atomicfile.Read(files, o.path(o.page()))
	if err == nil && !v.isAbsent && !memory.Unedited(page) {
		records, err := memory.ReadPage(v.book, page)
		add(o.page(), page, records, err)
	}
	if len(all) == 2 && all[0].Err == nil && all[1].Err == nil {
		all[1].Err = fmt.Errorf("%w: %s and %s were both edited; put it all into one", ErrEdit, all[0].Path, all[1].Path)
	}
	return all
}

// Discard writes edited books anew, and keeps the edited files aside, see [Report]. Errors are those of
// [Store.Recover].
func (s *Store) Discard() (Report, error) {
	return s.withJournal(func(w *writer, e journal) error {
		ready, err := w.foldSteps(e, e.last().Standing.Owners())
		for _, g := range ready {
			if err == nil && len(w.findEdits(w.files, g.from)) > 0 {
				_, err = w.writeBook(g)
			}
		}
		return err
	})
}

func (s *Store) bookByJournal(files atomicfile.Files, o owner) (memory.Book, error) {
	steps, err := readSteps(files)
	if err != nil {
		return memory.Book{}, err
	}
	steps = slices.DeleteFunc(steps, func(s memory.Step) bool { return !slices.Contains(ownersOf(s), o) })
	if len(steps) == 0 {
		return memory.Book{}, errors.New("the journal does not speak of it")
	}
	if b, ok := s.beforeEdit.Load(o); ok && b.(memory.Book).Step == steps[len(steps)-1].N {
		return b.(memory.Book), nil
	}
	var report Report
	g := s.refold(steps, &report, o)[o]
	g.book.Records = withLists(g.book.Records)
	if g.failure == nil {
		s.beforeEdit.Store(o, g.book)
	}
	return g.book, g.failure
}

// recordLists are the fields of a book that hold its records, in order; a member's has the last only.
var recordLists = []string{"globalDecisions", "crossAgentLessons", "records"}

// editable are the fields of a record that a person may change in a book. The last two follow from the others.
var editable = []string{"summary", "detail", "kind", "status", "tags", "importance", "confidence", "expiresAt",
	"updatedAt", "resolvedAt"}

// editedBook reads the records of an edited book. The error begins with the number of a line, as those of
// [memory.Corrections] do.
func editedBook(b memory.Book, text []byte) ([]memory.Edited, error) {
	plain, err := plainBook(b)
	if err != nil {
		return nil, err
	}
	doc, was := fieldsOf(text), fieldsOf(plain)
	if key := changedField(doc, was, append(recordLists, "sum")...); key != "" {
		return nil, fmt.Errorf("%d: only records can be changed here; council writes %q itself",
			lineAt(text, text, key), key)
	}
	var raw []json.RawMessage
	byID := map[string]map[string]json.RawMessage{} // by the id as it is written
	for _, list := range recordLists {
		var edited, written []json.RawMessage
		_ = json.Unmarshal(was[list], &written) // it was written here
		if err := json.Unmarshal(doc[list], &edited); err != nil && was[list] != nil {
			return nil, fmt.Errorf("%d: there is no list of %s", lineAt(text, text, list), list)
		}
		for _, r := range written {
			byID[string(fieldsOf(r)["id"])] = fieldsOf(r)
		}
		raw = append(raw, edited...)
	}
	var all []memory.Edited
	for _, one := range raw {
		e := memory.Edited{Line: lineAt(text, one, "")}
		if err := json.Unmarshal(one, &e.Record); err != nil {
			return nil, fmt.Errorf("%d: %w", e.Line, atomicfile.Explain(err))
		}
		fields := fieldsOf(one)
		if old := byID[string(fields["id"])]; old != nil {
			if key := changedField(fields, old, editable...); key != "" {
				return nil, fmt.Errorf("%d: %q of %s cannot be changed here", lineAt(text, one, key), key, e.ID)
			}
		}
		all = append(all, e)
	}
	return all, nil
}

func fieldsOf(object []byte) (fields map[string]json.RawMessage) {
	_ = json.Unmarshal(object, &fields) // it has been read before: another document has no fields
	return fields
}

func changedField(a, b map[string]json.RawMessage, but ...string) string {
	all := maps.Clone(b)
	maps.Copy(all, a)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(but, key) && !isSameJSON(a[key], b[key]) {
			return key
		}
	}
	return ""
}

// isSameJSON reports whether two texts are the same JSON in any layout. Invalid JSON counts as null.
func isSameJSON(a, b []byte) bool {
	var is, was any
	_, _ = json.Unmarshal(a, &is), json.Unmarshal(b, &was)
	return reflect.DeepEqual(is, was)
}

func lineAt(text, part []byte, key string) int {
	at := max(bytes.Index(text, part), 0)
	if key != "" {
		at += max(bytes.Index(part, fmt.Appendf(nil, "%q", key)), 0)
	}
	return 1 + bytes.Count(text[:at], []byte("\n"))
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
