// Package index finds texts of the turns, episodes and records of all sessions, however old.
//
// The index is council.db in the root, an SQLite database that is derived: it can be deleted at any time and is built
// again from the session files. It holds a copy of every text, to show passages of it.
//
// # How words are found
//
// The table words is FTS5 with the tokenizer unicode61, which drops case and accents, and porter, which drops English
// endings. It has each text in an encoded form: in scripts without spaces between words (Chinese, Japanese, Korean,
// Thai and their neighbours) every two characters side by side are a word, and a few letters that the tokenizer
// keeps apart (ß and ss, ı and i) are spelled alike. The encoding can be undone, so that FTS5 also picks the passages
// that are shown. A text that is not its own encoding is in the table docs as well.
//
// Documents are ranked by bm25 in one query of the words that few documents have, because bm25 reads every match of
// every word. The rows of the documents are numbered in the order in which they came, so that a query of common words
// reads the newest alone.
//
// # Processes
//
// The database is in WAL mode: any number of processes read while one writes; writers wait for one another.
package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
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
	Path string // its new path; an older one there is gone
	Why  string // in words for a person
}

// Opening errors.
var (
	// ErrDamaged: the database contradicts itself. [Open] moves such a one aside, and [Index.Close] one that proved
	// damaged later: open it again, and build it again.
	ErrDamaged = errors.New("the index is damaged and has to be built again")

	// ErrNewer: a newer version of council made the database. It is left as it is; the error holds both versions.
	ErrNewer = errors.New("the index was made by a newer version of council")

	// ErrReadOnly: the index cannot be opened where it is, because its folder cannot be written. See [OpenCopy].
	ErrReadOnly = errors.New("the folder of the index cannot be written")

	// ErrNotAFile: the index's name belongs to something else than a file.
	ErrNotAFile = errors.New("not a file")

	// ErrBadDoc: a document that cannot be stored, such as one without an id. A mistake of the caller.
	ErrBadDoc = errors.New("not a document")
)

// Open opens the index at path, and makes one for its owner only if there is none. A database that is damaged, was
// changed by another program since it was last closed, or is of an older version is moved aside for an empty one: see
// [Index.Aside]. Ask [Index.IsComplete] whether it has to be built. [ErrNewer], [ErrReadOnly].
func Open(ctx context.Context, path string) (*Index, error) {
	check, changed := awaitClean(ctx, path)
	ix, err := open(ctx, path)
	if err == nil {
		if err = changed; check {
			err = ix.checkPages(ctx)
		}
		if err != nil {
			ix.db.Close()
		}
	}
	switch {
	case err == nil:
		return ix, nil
	case !errors.Is(err, ErrDamaged):
		return nil, unwritable(err)
	}
	to, failed := setAside(path)
	if failed != nil {
		return nil, unwritable(failed)
	}
	aside := &Aside{Path: to, Why: err.Error()}
	if ix, err = open(ctx, path); err == nil {
		ix.aside = aside
	}
	return ix, err
}

// Close closes the index. One that proved damaged is moved aside, and made again by the next Open.
func (ix *Index) Close() error {
	err := ix.db.Close()
	if ix.reading {
		return err
	}
	if ix.damaged.Swap(false) {
		_, moved := setAside(ix.path)
		err = errors.Join(err, moved)
	}
	noteCleanEnd(ix.path)
	if ix.temporary != "" {
		err = errors.Join(err, os.RemoveAll(ix.temporary))
	}
	return err
}

// Aside returns the database that was moved aside when the index was opened, or nil.
func (ix *Index) Aside() *Aside { return ix.aside }

// IsComplete reports whether the index was filled by [Index.Rebuild] since it was made. Else it lacks older texts.
func (ix *Index) IsComplete(ctx context.Context) (whole bool, err error) {
	err = ix.db.QueryRowContext(ctx, `SELECT whole FROM state`).Scan(&whole)
	return whole, ix.damage(err)
}

// cleanEnding is that of the file in which the last one to close the index notes the size and the time of the database.
// A database that differs from them was changed by something else and cannot be trusted: SQLite has no checksums, so a
// changed bit can turn a right answer into a wrong one without an error.
const cleanEnding = "-clean"

// patience is how long an opener waits for a process that makes a database, or has just closed it and not noted that
// yet.
var patience = 500 * time.Millisecond

// cleanNote returns the content of that file for a database: its size and time. It is empty when there is no database.
func cleanNote(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes, %s\n", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
}

// isClean reports whether the database is as the last clean end left it.
func isClean(path string) bool {
	was, _ := os.ReadFile(path + cleanEnding)
	now := cleanNote(path)
	return now == "" || string(was) == now
}

// hasLog reports whether the database has a log: some process uses it, or was killed while it did.
func hasLog(path string) bool {
	_, err := os.Lstat(path + "-wal")
	return err == nil
}

// noteCleanEnd notes a clean end, unless another process uses the database still. Where the note cannot be written, or
// is lost, the index is built again.
func noteCleanEnd(path string) {
	if now := cleanNote(path); now != "" && !hasLog(path) && !isClean(path) {
		_ = os.WriteFile(path+cleanEnding, []byte(now), 0o600)
	}
}

// awaitClean waits until the database is as its last clean end left it or a process uses it; else it returns
// [ErrDamaged]. check: its pages have to be checked, because it was changed after the last clean end, maybe by a
// process that was killed.
func awaitClean(ctx context.Context, path string) (check bool, err error) {
	const pause = 10 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		switch {
		case isClean(path):
			return false, nil
		case hasLog(path):
			return true, nil
		case waited >= patience || ctx.Err() != nil:
			return false, fmt.Errorf("%w: something else than council changed it, or its last use was cut off", ErrDamaged)
		}
		time.Sleep(pause)
	}
}

// companions are the endings of the files of a database. The database itself comes last: a new one must not find the
// log of another.
var companions = []string{"-wal", "-shm", "-journal", cleanEnding, ""}

// setAside renames a database and returns its new name. It keeps only one.
func setAside(path string) (string, error) {
	const ending = ".damaged"
	to := path + ending
	for _, c := range companions {
		err := os.Rename(path+c, to+c)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(to + c) // of an older one
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot move the index aside: %w", err)
		}
	}
	return to, nil
}

// copyDatabase copies a database that is as its last clean end left it, with its log. It makes no copy of another one.
func copyDatabase(from, to string) error {
	if !isClean(from) {
		return nil
	}
	for _, c := range []string{"", "-wal"} {
		text, err := os.ReadFile(from + c)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to+c, text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("cannot copy the index: %w", err)
		}
	}
	noteCleanEnd(to)
	return nil
}

// touch makes the file, for its owner only. SQLite gives its companions the same permissions.
func touch(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot open the index: %s: %w", path, ErrNotAFile)
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("cannot make the index: %w", err)
	}
	return f.Close()
}

func (ix *Index) checkPages(ctx context.Context) error {
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

// OpenCopy opens a copy of the index at path in a temporary folder, which [Index.Close] removes, for a record that
// cannot or must not be written. The copy of an index that is lost, or not as its last clean end left it, is empty, and
// so it is when path is.
func OpenCopy(ctx context.Context, path string) (*Index, error) {
	folder, err := os.MkdirTemp("", "council-index-")
	if err != nil {
		return nil, fmt.Errorf("cannot copy the index: %w", err)
	}
	to := filepath.Join(folder, "index.db")
	if path != "" {
		err = copyDatabase(path, to)
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

// Bounds of one transaction of a rebuild: others wait while it is written.
const (
	batchDocs  = 10_000
	batchBytes = 16 << 20
)

// Rebuild empties the index and fills it again, in order. Others can read and put meanwhile. After an error or an
// interruption the index is not whole, and can be used and rebuilt. The error may be one that the documents came with.
func (ix *Index) Rebuild(ctx context.Context, docs iter.Seq2[Doc, error]) error {
	if err := ix.write(ctx, (*tx).empty); err != nil {
		return err
	}
	var batch []Doc
	size := 0
	for d, err := range docs {
		if err != nil {
			return err
		}
		batch, size = append(batch, d), size+len(d.Text)
		if len(batch) >= batchDocs || size >= batchBytes {
			if err := ix.Put(ctx, batch...); err != nil {
				return err
			}
			batch, size = batch[:0], 0
		}
	}
	if err := ix.Put(ctx, batch...); err != nil {
		return err
	}
	return ix.write(ctx, func(t *tx) {
		t.exec(`INSERT INTO words (words) VALUES ('optimize')`) // in one piece words are found fastest
		t.exec(`UPDATE state SET whole = 1`)
	})
}

// Dump writes the content of the index: every document as a line of JSON, in the order of sessions and ids, then every
// term with the number of documents that have it and of its uses. Two indexes of the same documents give the same
// bytes.
func (ix *Index) Dump(ctx context.Context, w io.Writer) error {
	out := json.NewEncoder(w)
	err := ix.read(ctx, func(t *tx) {
		for d := range each(t, scanDoc, selectDocs+`ORDER BY coalesce(s.id, ''), d.local`) {
			t.fail(out.Encode(d))
		}
		t.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab (main, words, row)`)
		for term := range each(t, column[string], `SELECT term || ' ' || doc || ' ' || cnt FROM temp.dumped`) {
			t.fail(out.Encode(term))
		}
	})
	if err != nil {
		return fmt.Errorf("cannot dump the index: %w", err)
	}
	return nil
}

// OpenToRead opens the index at path and changes nothing. [ErrReadOnly] where it does not exist, or SQLite cannot write
// beside it; [ErrNewer]; [ErrDamaged], also for an older version.
func OpenToRead(ctx context.Context, path string) (*Index, error) {
	ix, err := connect(path, url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(20000)", "query_only(ON)"}})
	if err != nil {
		return nil, err
	}
	if err := ix.checkTables(ctx); err != nil {
		return nil, unwritable(errors.Join(err, ix.db.Close()))
	}
	ix.reading = true
	return ix, nil
}
