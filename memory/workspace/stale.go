package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/index"
)

// ErrNotIndexed: a change stands in memory, and recall does not find it yet. [Workspace.Recover] tries again.
var ErrNotIndexed = errors.New("it is remembered, and recall does not find it yet")

// staleFile is in the folder of the record while memory holds a person's change that the index may lack. The close of
// a session needs none: its own mark stands until all is done.
const staleFile = ".reindex"

// Change makes a person's change to memory, and brings the index in step. [ErrNotIndexed]; other errors are those of
// the store, and nothing was changed.
func (w *Workspace) Change(ctx context.Context, c memory.Change, at time.Time) (store.Report, error) {
	if err := w.stale(); err != nil {
		return store.Report{}, fmt.Errorf("cannot write in the folder of the record: %w", err)
	}
	report, err := w.Store.Change(c, at)
	if err != nil {
		return report, errors.Join(err, w.fresh())
	}
	b, err := w.Store.Book(c.Member)
	if err != nil {
		return report, err
	}
	_, err = w.WithIndex(ctx, func(ix *index.Index) error {
		return ix.Put(ctx, bookDocs(b.Member, b.Name, slices.Values(b.Records))...)
	})
	if err != nil {
		return report, fmt.Errorf("%w: %w", ErrNotIndexed, err)
	}
	return report, w.fresh()
}

// stale marks the index as lacking something.
func (w *Workspace) stale() error {
	files := w.Root.Files()
	f, err := files.Create(staleFile)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), files.Sync())
}

// fresh takes the mark away.
func (w *Workspace) fresh() error {
	if err := w.Root.Files().Remove(staleFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// freshen brings the index in step with the books after a change that was cut off, or after books were caught up.
func (w *Workspace) freshen(ctx context.Context) error {
	if _, err := w.Root.Files().Lstat(staleFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	books, err := w.Store.Books()
	if err != nil {
		return err
	}
	_, err = w.WithIndex(ctx, func(ix *index.Index) error {
		for _, b := range books {
			var records []memory.Record
			for r, err := range w.Store.All(b.Member) {
				if err == nil { // whoever wrote memory was told of the others
					records = append(records, r)
				}
			}
			if err := ix.Put(ctx, bookDocs(b.Member, b.Book.Name, slices.Values(records))...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("the index lacks what was changed last: %w", err)
	}
	return w.fresh()
}
