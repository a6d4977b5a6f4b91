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
	err := s.look(func(files atomicfile.Files) error {
		e, err := settledEnd(files)
		standing := e.last().Standing
		for _, o := range standing.Owners() {
			v, err := s.read(files, o)
			if err != nil || v.outdated || v.book.Step != standing.Last(o) {
				lags = true
			} else if !lags {
				report.Edits = append(report.Edits, s.edits(files, v)...)
			}
		}
		report.Step = e.last().N
		lags = lags || len(standing.Books) > 0 && !summarized(files)
		return err
	})
	if err != nil || !lags {
		return report, err
	}
	return s.holdSettled(func(w *writing, e journal) error {
		ready, err := w.ready(e, e.last().Standing.Owners())
		for _, g := range ready {
			w.report.Edits = append(w.report.Edits, w.edits(w.files, g.from)...)
		}
		return err
	})
}

// holdSettled is hold with the end of the journal, unless a rebuild was interrupted or the journal cannot be read. It
// repeats all if the journal has grown on another machine meanwhile: see [atomicfile.ErrStale].
func (s *Store) holdSettled(do func(*writing, journal) error) (report Report, err error) {
	for range maxStale {
		report, err = s.hold(func(w *writing) error {
			e, err := settledEnd(w.files)
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

// maxStale bounds the repetitions.
const maxStale = 20

func settledEnd(files atomicfile.Files) (journal, error) {
	if err := settled(files); err != nil {
		return journal{}, err
	}
	return readEnd(files)
}

// ready reads books and brings them up to the journal. It returns those that are; the report names the others.
// [ErrDamaged]: the journal is older than a book.
func (w *writing) ready(e journal, of []owner) ([]*growth, error) {
	var ready, behind []*growth
	for _, o := range of {
		v, err := w.read(w.files, o)
		if err != nil {
			w.report.leave(o, o.path(o.book()), err)
			continue
		}
		switch last := e.last().Standing.Last(o); {
		case v.book.Step > last:
			return nil, broken(journalFile, "it ends before step %d, which %s holds", v.book.Step, o.path(o.book()))
		case v.book.Step < last || v.outdated:
			behind = append(behind, grow(v))
		default:
			ready = append(ready, grow(v))
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
	slices.SortStableFunc(ready, func(a, b *growth) int {
		return slices.Index(of, a.from.owner) - slices.Index(of, b.from.owner)
	})
	return ready, nil
}

// catchUp folds the steps that books lack, writes the books, and returns those that are up to the journal.
func (w *writing) catchUp(behind []*growth) ([]*growth, error) {
	all, err := readSteps(w.files)
	if err != nil {
		return nil, err
	}
	logs := &logs{load: w.load}
	for _, s := range all {
		for _, g := range behind {
			if slices.Contains(concerns(s), g.from.owner) {
				g.advance(w.rules, s, logs, w.report)
			}
		}
	}
	var caught []*growth
	for _, g := range behind {
		if g.caught == 0 && !g.from.outdated {
			continue
		}
		done, err := w.put(g)
		if err != nil {
			return nil, err
		}
		if done && g.stuck == nil {
			caught = append(caught, grow(volume{owner: g.from.owner, book: g.book}))
		}
	}
	return caught, nil
}
