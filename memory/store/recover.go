package store

import (
	"errors"
	"slices"

	"github.com/council-engine/council/internal/atomicfile"
)

// Recover brings every book up to the journal after a kill, or after a book could not be read for a while. When no book
// is behind it changes nothing and takes no lock. The report has the edits of people. Errors are those of Close.
func (s *Store) Recover() (Report, error) {
	var report Report
	lags := false
	err := s.withFolder(func(files atomicfile.Files) error {
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
		report.Step = e.last().N
		lags = lags || len(standing.Books) > 0 && !hasCurrentPages(files)
		return err
	})
	if err != nil || !lags {
		return report, err
	}
	return s.withJournal(func(w *writer, e journal) error {
		ready, err := w.readBooks(e, e.last().Standing.Owners())
		for _, g := range ready {
			w.report.Edits = append(w.report.Edits, w.findEdits(w.files, g.from)...)
		}
		return err
	})
}

// withJournal is hold with the end of the journal, unless a rebuild was interrupted or the journal cannot be read. It
// repeats all if the journal has grown on another machine meanwhile: see [atomicfile.ErrStale].
func (s *Store) withJournal(do func(*writer, journal) error) (report Report, err error) {
	for range maxStale {
		report, err = s.withLock(func(w *writer) error {
			e, err := readSettledEnd(w.files)
			if err != nil {
				return err
			}
			w.report.Step = e.last().N
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

// readBooks reads books and brings them up to the journal. It returns those that are; the report names the others.
// [ErrDamaged]: the journal is older than a book.
func (w *writer) readBooks(e journal, of []owner) ([]*bookUpdate, error) {
	var ready, behind []*bookUpdate
	for _, o := range of {
		v, err := w.read(w.files, o)
		if err != nil {
			w.report.addLeft(o, o.path(o.book()), err)
			continue
		}
		switch last := e.last().Standing.Last(o); {
		case v.book.Step > last:
			return nil, damagedError(journalFile, "it ends before step %d, which %s holds", v.book.Step, o.path(o.book()))
		case v.book.Step < last || v.isOutdated:
			behind = append(behind, newBookUpdate(v))
		default:
			ready = append(ready, newBookUpdate(v))
		}
	}
	if len(behind) == 0 {
		return ready, nil
	}
	caught, err := w.catchUp(behind)
	if err != nil {
		return nil, err
	}
	ready = append(ready, caught...)
	slices.SortStableFunc(ready, func(a, b *bookUpdate) int {
		return slices.Index(of, a.from.owner) - slices.Index(of, b.from.owner)
	})
	return ready, nil
}

// catchUp folds the steps that books lack, writes the books, and returns those that are up to the journal.
func (w *writer) catchUp(behind []*bookUpdate) ([]*bookUpdate, error) {
	all, err := readSteps(w.files)
	if err != nil {
		return nil, err
	}
	logs := &logReader{load: w.load}
	for _, s := range all {
		for _, g := range behind {
			if slices.Contains(ownersOf(s), g.from.owner) {
				g.advance(w.rules, s, logs, w.report)
			}
		}
	}
	var caught []*bookUpdate
	for _, g := range behind {
		if g.caughtUp == 0 && !g.from.isOutdated {
			continue
		}
		done, err := w.writeBook(g)
		if err != nil {
			return nil, err
		}
		if done && g.failure == nil {
			caught = append(caught, newBookUpdate(diskBook{owner: g.from.owner, book: g.book}))
		}
	}
	return caught, nil
}
