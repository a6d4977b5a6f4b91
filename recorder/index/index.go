package index

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync/atomic"

	_ "modernc.org/sqlite" // the driver
)

// File is the name of the database in the folder of a record.
const File = "council.db"

// Index is an open index. Its methods may be called from several goroutines.
type Index struct {
	db    *sql.DB
	path  string
	aside *Aside

	damaged   atomic.Bool // an error said so
	reading   bool        // it was opened to be read alone
	temporary string      // the folder that the index is alone in, and that goes with it; "" for the record's own
}

// Aside says that a database could not be used and was kept under another name.
type Aside struct {
	Path string // where it is now; what was there before is gone
	Why  string // in words for a person
}

// Opening errors.
var (
	// ErrDamaged: the database contradicts itself. [Open] moves such a one aside, and where it shows only later,
	// [Index.Close] does: open it again, and build it again.
	ErrDamaged = errors.New("the index is damaged and has to be built again")

	// ErrNewer: a newer version of council made the database. It is left as it is; the error holds both versions.
	ErrNewer = errors.New("the index was made by a newer version of council")

	// ErrReadOnly: the index cannot be opened where it is, because its folder cannot be written. See [OpenCopy].
	ErrReadOnly = errors.New("the folder of the index cannot be written")

	// ErrNotAFile: something else than a file has the index's name.
	ErrNotAFile = errors.New("not a file")

	// ErrBadDoc: a document that cannot be put in, such as one without an id. It is the caller's mistake.
	ErrBadDoc = errors.New("not a document")
)

// Open opens the index at path, which is made with access for its owner only if there is none. A database that is
// damaged is moved aside, and an empty one takes its place: [Index.Aside] says so. So is one that something else has
// changed since it was last closed, and one of an older version. Ask [Index.Whole] whether it has to be built.
// [ErrNewer], [ErrReadOnly].
func Open(ctx context.Context, path string) (*Index, error) {
	check, changed := unchanged(ctx, path)
	ix, err := open(ctx, path)
	if err == nil {
		if err = changed; check {
			err = ix.sound(ctx)
		}
		if err != nil {
			ix.db.Close()
		}
	}
	switch {
	case errors.Is(err, ErrDamaged):
		return reopen(ctx, path, err.Error())
	case err != nil:
		return nil, unwritable(err)
	}
	return ix, nil
}

// Close closes the index. One that proved to be damaged is moved aside, to be made again when it is opened next.
func (ix *Index) Close() error {
	err := ix.db.Close()
	if ix.reading {
		return err
	}
	if ix.damaged.Swap(false) {
		_, moved := setAside(ix.path)
		err = errors.Join(err, moved)
	}
	ended(ix.path)
	if ix.temporary != "" {
		err = errors.Join(err, os.RemoveAll(ix.temporary))
	}
	return err
}

// Aside says what was moved aside when the index was opened, or nil.
func (ix *Index) Aside() *Aside { return ix.aside }

// Whole reports whether the index was filled by [Index.Rebuild] since it was made. One that was not lacks what had been
// said before.
func (ix *Index) Whole(ctx context.Context) (bool, error) {
	var whole bool
	err := ix.db.QueryRowContext(ctx, `SELECT whole FROM state`).Scan(&whole)
	return whole, ix.damage(err)
}
