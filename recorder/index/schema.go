package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/council-engine/council/council"
)

// migrations make the tables, each those of one version, in one transaction each. A database of an older version gets
// what it lacks, and then has to be built again. What they made is never changed once it was released.
var migrations = [][]string{searched, accounted}

// version is that of the tables and of how texts are cut into terms.
var version = len(migrations)

// made stands for the migrations in a database: one of the same version that others made cannot be used.
var made = council.Digest(fmt.Sprint(migrations))

// searched makes the tables of full text. A session has an id and a topic once, not once for each turn; docs.local is
// what the id of a turn or episode adds to its session's, and the whole id of a record.
//
// Terms are merged eight pieces at a time: fewer would have every put rewrite more, more would make every search
// slower.
var searched = []string{
	`CREATE TABLE state (whole INTEGER NOT NULL, made TEXT NOT NULL)`,
	`INSERT INTO state VALUES (0, '')`,
	`CREATE TABLE origins (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, topic TEXT NOT NULL)`,
	`CREATE TABLE docs (
		n       INTEGER PRIMARY KEY,
		session INTEGER NOT NULL,
		local   TEXT NOT NULL,
		kind    TEXT NOT NULL,
		what    TEXT NOT NULL,
		about   TEXT NOT NULL,
		event   TEXT NOT NULL,
		member  TEXT NOT NULL,
		name    TEXT NOT NULL,
		at      INTEGER NOT NULL,
		status  TEXT NOT NULL,
		instead TEXT NOT NULL,
		rehearsed INTEGER NOT NULL,
		text    TEXT NOT NULL
	)`,
	`CREATE UNIQUE INDEX docs_by_place ON docs (session, local)`,
	`CREATE UNIQUE INDEX docs_by_record ON docs (local) WHERE kind = 'record'`,
	`CREATE VIRTUAL TABLE words USING fts5 (terms, content='', columnsize=0,
		tokenize="unicode61 remove_diacritics 2 categories 'L* N* M* Co'")`,
	`INSERT INTO words (words, rank) VALUES ('automerge', 8)`,
	`INSERT INTO words (words, rank) VALUES ('crisismerge', 128)`,
	`INSERT INTO words (words, rank) VALUES ('hashsize', 16777216)`,
	`INSERT INTO words (words, rank) VALUES ('secure-delete', 1)`,
	`CREATE TABLE terms (n INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE)`,
	`CREATE VIRTUAL TABLE parts USING fts5 (term, content='terms', content_rowid='n', columnsize=0, tokenize='trigram')`,
	`INSERT INTO parts (parts, rank) VALUES ('automerge', 32)`,
	`INSERT INTO parts (parts, rank) VALUES ('crisismerge', 128)`,
	`INSERT INTO parts (parts, rank) VALUES ('secure-delete', 1)`,
}

// pragmas hold for every connection. What is deleted is overwritten, because somebody may have wanted it forgotten;
// that the last put may be lost with the power does not matter to what can be built again.
var pragmas = []string{
	"busy_timeout(20000)", "journal_mode(WAL)", "synchronous(NORMAL)", "secure_delete(ON)", "foreign_keys(OFF)",
	"cache_size(-32768)", "mmap_size(0)", "journal_size_limit(4194304)", "trusted_schema(OFF)",
}

func open(ctx context.Context, path string) (*Index, error) {
	if err := touch(path); err != nil {
		return nil, err
	}
	ix, err := connect(path, url.Values{"_pragma": pragmas, "_txlock": {"immediate"}})
	if err != nil {
		return nil, err
	}
	// To begin a log, SQLite does not wait for whoever is about to do the same, whatever its timeout.
	err = ix.prepare(ctx)
	for tries := 0; busy(err) && tries < 200 && ctx.Err() == nil; tries++ {
		time.Sleep(10 * time.Millisecond)
		err = ix.prepare(ctx)
	}
	if err != nil {
		ix.db.Close()
		return nil, err
	}
	return ix, nil
}

func connect(path string, options url.Values) (*Index, error) {
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, fmt.Errorf("cannot open the index: %w", err)
	}
	db.SetMaxOpenConns(4)
	return &Index{db: db, path: path}, nil
}

// OpenToRead opens the index at path and changes nothing, whoever may write in its folder: [ErrReadOnly] where it is
// not there or is being written where this process may not take part. [ErrNewer] and [ErrDamaged]; one of an older
// version is damaged to it.
func OpenToRead(ctx context.Context, path string) (*Index, error) {
	options := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(20000)", "query_only(ON)"}}
	ix, err := connect(path, options)
	if err != nil {
		return nil, err
	}
	found, err := ix.stated(ctx, ix.db)
	if errors.Is(unwritable(err), ErrReadOnly) && !live(path) { // no log can be made beside it, and none is there
		ix.db.Close()
		options.Set("immutable", "1")
		if ix, err = connect(path, options); err == nil {
			found, err = ix.stated(ctx, ix.db)
		}
	}
	if err == nil && found < version {
		err = fmt.Errorf("%w: it has version %d", ErrDamaged, found)
	}
	if err == nil {
		err = ix.ours(ctx)
	}
	if err != nil {
		if ix != nil {
			ix.db.Close()
		}
		return nil, unwritable(err)
	}
	ix.reading = true
	return ix, nil
}

// busy reports whether the database is in somebody else's hands at the moment.
func busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// prepare makes the tables that are missing, and reads enough to notice a file that is not an index.
func (ix *Index) prepare(ctx context.Context) error {
	found, err := ix.stated(ctx, ix.db)
	if err != nil {
		return err
	}
	for ; found < version; found++ {
		err := ix.write(ctx, func(tx *sql.Tx) error {
			now, err := ix.version(ctx, tx) // another process may have been faster
			if err != nil || now != found {
				return err
			}
			return migrate(ctx, tx, found)
		})
		if err != nil {
			return err
		}
	}
	if err := ix.ours(ctx); err != nil {
		return err
	}
	var n int
	for _, probe := range []string{
		`SELECT count(*) FROM (SELECT n, session, local, kind, what, about, event, member, name, at, status, instead,
			rehearsed, text FROM docs ORDER BY n DESC LIMIT 1)`,
		`SELECT count(*) FROM (SELECT rowid FROM words WHERE words MATCH '"a"' ORDER BY rowid DESC LIMIT 1)`,
		`SELECT count(*) FROM (SELECT rowid FROM parts WHERE parts MATCH '"aaa"' LIMIT 1)`,
	} {
		if err := ix.db.QueryRowContext(ctx, probe).Scan(&n); err != nil {
			return missing(ix.damage(err))
		}
	}
	return nil
}

// ours returns [ErrDamaged] for a database whose tables others have made under the same version.
func (ix *Index) ours(ctx context.Context) error {
	var by string
	if err := ix.db.QueryRowContext(ctx, `SELECT made FROM state`).Scan(&by); err != nil {
		return missing(ix.damage(err))
	}
	if by != made {
		return fmt.Errorf("%w: another build of council made its tables", ErrDamaged)
	}
	return nil
}

// migrate makes the tables of the version that follows from.
func migrate(ctx context.Context, tx *sql.Tx, from int) error {
	for _, do := range append(slices.Clone(migrations[from]),
		`UPDATE state SET whole = 0, made = '`+made+`'`, fmt.Sprintf(`PRAGMA user_version = %d`, from+1)) {
		if _, err := tx.ExecContext(ctx, do); err != nil {
			return fmt.Errorf("cannot make the tables of the index: %w", damage(err))
		}
	}
	return nil
}

// empty takes everything out: all that is in a table or a view of ours is dropped, and made again.
func empty(ctx context.Context, tx *sql.Tx) error {
	for _, kind := range []string{"view", "table"} {
		const ours = `SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite%'
			AND name NOT GLOB 'words_*' AND name NOT GLOB 'parts_*'`
		rows, err := tx.QueryContext(ctx, ours, kind)
		names, err := column[string](rows, err)
		for _, name := range names {
			if err == nil {
				_, err = tx.ExecContext(ctx, `DROP `+kind+` "`+name+`"`)
			}
		}
		if err != nil {
			return fmt.Errorf("cannot empty the index: %w", damage(err))
		}
	}
	for from := range migrations {
		if err := migrate(ctx, tx, from); err != nil {
			return err
		}
	}
	return nil
}

// column reads the first column of a query to its end.
func column[T any](rows *sql.Rows, err error) (all []T, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one T
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// version returns the version of the tables, 0 for an empty file. Only a transaction can tell one that is empty from
// another's database: between two looks outside of one somebody may make the tables. The error is that of stated.
func (ix *Index) version(ctx context.Context, tx *sql.Tx) (int, error) {
	found, err := ix.stated(ctx, tx)
	if err != nil || found > 0 {
		return found, err
	}
	var tables int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return 0, ix.damage(err)
	}
	if tables > 0 {
		return 0, fmt.Errorf("%w: it is another database", ErrDamaged)
	}
	return 0, nil
}

// stated returns the version that the database states, 0 where it states none. [ErrNewer].
func (ix *Index) stated(ctx context.Context, q interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (int, error) {
	var found int
	if err := q.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&found); err != nil {
		return 0, ix.damage(err)
	}
	if found > version {
		return 0, fmt.Errorf("%w: it has version %d, and this one knows versions up to %d", ErrNewer, found, version)
	}
	return found, nil
}

// write runs do in one transaction, which waits for other writers.
func (ix *Index) write(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := ix.db.BeginTx(ctx, nil)
	if err != nil {
		return ix.damage(err)
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return ix.damage(tx.Commit())
}

// damage is [damage], and takes note that the index is not to be used again.
func (ix *Index) damage(err error) error {
	err = damage(err)
	if errors.Is(err, ErrDamaged) {
		ix.damaged.Store(true)
	}
	return err
}

// damage wraps the errors that say that the database is damaged in ErrDamaged.
func damage(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return err
}

// unwritable wraps the errors that say that nothing can be written in the folder in [ErrReadOnly].
func unwritable(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_READONLY || e.Code()&0xff == sqlite3.SQLITE_CANTOPEN) ||
		errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return err
}

// missing takes it for damage if a table or a column is not there, which the version says is.
func missing(err error) error {
	var e *sqlite.Error
	if errors.Is(err, sql.ErrNoRows) || errors.As(err, &e) && e.Code() == sqlite3.SQLITE_ERROR {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}
