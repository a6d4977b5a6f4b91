package store

import (
	"errors"
	"fmt"
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
		w.report.Done = true
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

// Report is the result of writing memory. Paths are within the folder of memory.
type Report struct {
	Done   bool        // the journal has grown
	Wrote  []Written   // each book once
	Asides []Aside     // files that were kept under another name, because others had changed them
	Left   []Untouched // books that could not be brought up to the journal
	Lacks  []Lacking   // sessions of the journal whose log could not be read
	Edits  []Edit      // edits of people that are not accepted yet, of [Store.Recover] alone
}

// Written is a book that was written.
type Written struct {
	Member council.MemberID // empty for the council
	Moved  []memory.Record  // records that left it for an archive
}

// Aside is a file that was kept under another name.
type Aside struct {
	Path string
	Kept string // its path now
}

// Untouched is a book that was left as it was.
type Untouched struct {
	Path string // of the file that could not be read or replaced
	Err  error  // wraps [ErrDamaged], [ErrNewer], [ErrUnreadable] or [ErrBehind]
}

// Lacking is a session in memory whose log could not be read.
type Lacking struct {
	Session council.SessionID
	Err     error
}

func (r *Report) addLeft(path string, err error) {
	r.Left = append(r.Left, Untouched{Path: path, Err: err})
}

func (r *Report) addLacking(id council.SessionID, err error) {
	if !slices.ContainsFunc(r.Lacks, func(l Lacking) bool { return l.Session == id }) {
		r.Lacks = append(r.Lacks, Lacking{Session: id, Err: err})
	}
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
