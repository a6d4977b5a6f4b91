package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/council-engine/council/recorder/index/dbfile"
)

// reopen moves what cannot be used aside and opens a new index.
func reopen(ctx context.Context, path, ending, why string) (*Index, error) {
	to, err := dbfile.SetAside(path, ending)
	if err != nil {
		return nil, unwritable(err)
	}
	ix, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	ix.aside = &Aside{Path: to, Why: why}
	return ix, nil
}

// sound has SQLite check the pages of the database. [ErrDamaged].
func (ix *Index) sound(ctx context.Context) error {
	var said string
	if err := ix.db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&said); err != nil {
		return ix.damage(err)
	}
	if said != "ok" {
		ix.damaged.Store(true)
		return fmt.Errorf("%w: %s", ErrDamaged, said)
	}
	return nil
}

// OpenCopy opens a copy of the index at path in a temporary folder, which [Index.Close] removes. It is for a record that
// cannot be written or must not be changed. Of an index that is lost, or not as its last clean end left it, the copy is
// empty, and so it is when path is.
func OpenCopy(ctx context.Context, path string) (*Index, error) {
	folder, err := os.MkdirTemp("", "council-index-")
	if err != nil {
		return nil, fmt.Errorf("cannot copy the index: %w", err)
	}
	to := filepath.Join(folder, "index.db")
	if path != "" {
		err = dbfile.Copy(path, to)
	}
	var ix *Index
	if err == nil {
		ix, err = Open(ctx, to)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	ix.temporary = folder
	return ix, nil
}
