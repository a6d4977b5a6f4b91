package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// Close folds closed sessions, in their order, into the books that they concern: all of each, or the rulings since it
// was folded in last, whatever its From. When nothing is new, only pages of categories that differ are written. However
// many sessions there are, the journal grows once and a book is written once; each session is given once. Books that
// cannot be read are left as they are and caught up later: see [Report].
//
// [ErrNotClosed]; [ErrDamaged], [ErrNewer] or [ErrUnreadable]: the journal; [ErrRebuilding], [ErrBusy]; any other error
// is the disk's. A step in the journal counts: the next call that writes completes the rest.
func (s *Store) Close(sessions ...memory.Session) (Report, error) {
	for _, session := range sessions {
		if wire.Closing(session.Entries) < 0 {
			return Report{}, fmt.Errorf("%w: %s", ErrNotClosed, session.ID)
		}
	}
	return s.withJournal(func(w *writer, e journal) error {
		var of []owner
		var news []memory.Step
		load := w.load
		w.load = func(id council.SessionID) ([]wire.Entry, error) {
			if i := slices.IndexFunc(sessions, func(s memory.Session) bool { return s.ID == id }); i >= 0 {
				return sessions[i].Entries, nil
			}
			return load(id)
		}
		for _, session := range sessions {
			closed := session.Entries[wire.Closing(session.Entries)].Time
			upTo, err := e.Folded(w.files, session.ID, memory.Precise(closed))
			if err != nil {
				return err
			}
			step := w.stepOf(session.ID, upTo+1, session.Entries)
			if of = append(of, ownersOf(step)...); upTo < step.Session.To {
				news = append(news, step)
			}
		}
		_, err := w.foldSteps(e, of, news...)
		if err == nil && len(w.report.Wrote) == 0 { // a kill may have left the pages behind
			err = w.writeCategories()
		}
		return err
	})
}

// Change makes a person's change to one book. It is refused, and nothing changes, when the book cannot be read or is
// behind ([ErrDamaged], [ErrNewer], [ErrUnreadable], [ErrBehind]), or cannot hold the change ([memory.ErrBadRecord]).
// Errors of the journal and the disk are as for Close.
//
// The files of the edits that the change accepts are written over. [ErrBusy]: the book has changed since they were
// read.
func (s *Store) Change(c memory.Change, at time.Time, taken ...Edit) (Report, error) {
	o, err := ownerOf(c.Member)
	if err != nil {
		return Report{}, err
	}
	c.Put, c.Before = withLists(c.Put), withLists(c.Before)
	return s.withJournal(func(w *writer, e journal) error {
		w.accepted = taken
		for _, t := range taken {
			if t.step != e.last().Standing.Last(o) {
				return fmt.Errorf("%w: %s has changed meanwhile", ErrBusy, o.path(o.book()))
			}
		}
		_, err := w.foldSteps(e, []owner{o}, memory.Step{At: memory.Precise(at), Change: &c})
		return err
	})
}

// foldSteps brings books up to the journal, appends new steps, which concern no other books, and writes the books that
// changed. It returns those that have all steps; the report names the others. [ErrDamaged]: the journal is older than a
// book.
func (w *writer) foldSteps(e journal, of []owner, news ...memory.Step) (ready []*bookUpdate, err error) {
	books, lacked, err := w.readBooks(e, of)
	if err != nil {
		return nil, err
	}
	for _, s := range lacked {
		log := logOf(w.load, s)
		for _, g := range books {
			g.advance(w.rules, s, log, w.report)
		}
	}
	books = slices.DeleteFunc(books, func(g *bookUpdate) bool { return g.failure != nil && g.caughtUp == 0 })
	for i := range news {
		news[i].N = e.last().N + 1 + i
		log := logOf(w.load, news[i])
		for _, g := range books {
			if g.failure != nil || !slices.Contains(ownersOf(news[i]), g.from.owner) {
				continue
			}
			if err := g.fold(w.rules, news[i], log); err != nil {
				return nil, err
			}
		}
		if news[i].Change != nil && (len(books) == 0 || books[0].failure != nil) {
			return nil, w.report.Left[0].Err
		}
	}
	if len(news) > 0 {
		if err := e.Append(w.files, news...); err != nil {
			return nil, fmt.Errorf("cannot write the journal of memory: %w", err)
		}
	}
	for _, g := range books {
		done := true
		if g.book.Step != g.from.book.Step || g.from.isOutdated {
			if done, err = w.writeBook(g); err != nil {
				return nil, err
			}
			g.from = diskBook{owner: g.from.owner, book: g.book}
		}
		if done && g.failure == nil {
			ready = append(ready, newBookUpdate(g.from))
		}
	}
	return ready, nil
}

// readBooks reads books, without the unreadable ones, which the report names. If one is behind the journal, it returns
// the steps of the journal too.
func (w *writer) readBooks(e journal, of []owner) (books []*bookUpdate, steps []memory.Step, err error) {
	behind := false
	slices.Sort(of)
	for _, o := range slices.Compact(of) {
		v, err := w.read(w.files, o)
		if err != nil {
			w.report.addLeft(o.path(o.book()), err)
			continue
		}
		last := e.last().Standing.Last(o)
		if v.book.Step > last {
			return nil, nil, damagedError(journalFile, "it ends before step %d, which %s holds", v.book.Step, o.path(o.book()))
		}
		behind = behind || v.book.Step < last
		books = append(books, newBookUpdate(v))
	}
	if behind {
		steps, err = readSteps(w.files)
	}
	return books, steps, err
}

// Recover brings every book up to the journal after a kill, or after a book could not be read for a while. When no book
// is behind it changes nothing and takes no lock. The report has the edits of people. Errors are those of Close.
func (s *Store) Recover() (Report, error) {
	lags := false
	report, err := inFolder(s, func(files atomicfile.Files) (report Report, err error) {
		e, err := readSettledEnd(files)
		standing := e.last().Standing
		for _, o := range standing.Owners() {
			v, err := s.read(files, o)
			if err != nil || v.isOutdated || v.book.Step != standing.Last(o) {
				lags = true
			} else if !lags {
				report.Edits = append(report.Edits, s.findEdits(files, v)...)
			}
		}
		return report, err
	})
	if err != nil || !lags {
		return report, err
	}
	return s.withJournal(func(w *writer, e journal) error {
		ready, err := w.foldSteps(e, e.last().Standing.Owners())
		for _, g := range ready {
			w.report.Edits = append(w.report.Edits, w.findEdits(w.files, g.from)...)
		}
		return err
	})
}

// withJournal is withLock with the end of the journal, unless a rebuild was interrupted or the journal cannot be read.
// It repeats all if the journal has grown on another machine meanwhile: see [atomicfile.ErrStale].
func (s *Store) withJournal(do func(*writer, journal) error) (report Report, err error) {
	for range maxStale {
		report, err = s.withLock(func(w *writer) error {
			e, err := readSettledEnd(w.files)
			if err != nil {
				return err
			}
			return do(w, e)
		})
		if !errors.Is(err, atomicfile.ErrStale) {
			break
		}
	}
	return report, err
}

const maxStale = 20

func readSettledEnd(files atomicfile.Files) (journal, error) {
	if err := checkNoRebuild(files); err != nil {
		return journal{}, err
	}
	return readEnd(files)
}

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
