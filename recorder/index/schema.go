package index

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/council-engine/council/council"
)

// Kind is the kind of a document.
type Kind string

// The kinds of document.
const (
	KindTurn    Kind = "turn"    // the words of one member
	KindEpisode Kind = "episode" // the result of a session
	KindRecord  Kind = "record"  // a record of memory
	KindNote    Kind = "note"    // a person's file beside memory, by its path there: in indexes of notes alone
)

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{KindTurn, KindEpisode, KindRecord, KindNote} }

// Doc is one text that can be found.
type Doc struct {
	// of an episode its session; of a turn its session and ".e12"; of a record its own
	ID      string            `json:"id"`
	Kind    Kind              `json:"kind"`
	What    string            `json:"what,omitempty"`    // a record's or turn's own kind, such as "decision"
	Session council.SessionID `json:"session,omitempty"` // its origin; a person's record has none
	// of the session: kept once, and not searched unless it is in Text
	Topic        string           `json:"topic,omitempty"`
	Event        string           `json:"event,omitempty"`  // such as "e12"
	Member       council.MemberID `json:"member,omitempty"` // the speaker, or the owner of the memory; empty for the council
	Name         string           `json:"name,omitempty"`   // the member's
	At           time.Time        `json:"at"`               // to the millisecond
	Status       string           `json:"status,omitempty"` // of a record: as in package memory
	SupersededBy string           `json:"supersededBy,omitempty"`
	Rehearsed    bool             `json:"rehearsed,omitempty"` // from a rehearsal
	Text         string           `json:"text"`

	// about is the encoded topic of its session when a decision was put in, and finds it too.
	about string
	n     int64 // the number of its row, where it was read
}

// Decision is the kind of a record of a decision.
const Decision = "decision"

// local returns the id without the session's, or the whole id of a record. The error wraps ErrBadDoc.
func (d Doc) local() (string, error) {
	rest, ours := strings.CutPrefix(d.ID, string(d.Session))
	switch {
	case (d.Kind == KindRecord || d.Kind == KindNote) && d.ID != "" && d.ID[0] > '/':
		return d.ID, nil
	case d.Kind == KindEpisode && d.Session != "" && ours && rest == "":
		return "", nil
	case d.Kind == KindTurn && d.Session != "" && ours && len(rest) > 1 && rest[0] == '.':
		return rest, nil
	}
	return "", fmt.Errorf("%w: %q of kind %q and session %q", ErrBadDoc, d.ID, d.Kind, d.Session)
}

// selectDocs reads documents as scanDoc expects them.
const (
	selectDocs = `SELECT d.n, coalesce(s.id, ''), coalesce(s.topic, ''), d.local, d.kind, d.what, w.about,
		d.event, d.member, d.name, d.at, d.status, d.instead, d.rehearsed, coalesce(d.text, w.text)
		FROM docs d JOIN words w ON w.rowid = d.n ` + withOrigin
	withOrigin = `LEFT JOIN origins s ON s.n = d.session `
)

func scanDoc(r row, d *Doc) error {
	var session, local, kind, member string
	var at int64
	err := r.Scan(&d.n, &session, &d.Topic, &local, &kind, &d.What, &d.about, &d.Event, &member,
		&d.Name, &at, &d.Status, &d.SupersededBy, &d.Rehearsed, &d.Text)
	if d.ID = local; local == "" || local[0] == '.' {
		d.ID = session + local
	}
	d.Kind, d.Session, d.Member = Kind(kind), council.SessionID(session), council.MemberID(member)
	d.At = time.UnixMilli(at).UTC()
	return err
}

// version is that of the tables and of the encoding of texts. A database of an older one is built again.
const version = 3

//go:embed schema.sql
var tables string

// tablesDigest identifies the tables in a database: others of the same version cannot be used.
var tablesDigest = council.Digest(tables)

// pragmas apply to every connection. Deleted text is overwritten, because a person may have wanted it forgotten; a put
// that a loss of power undoes can be built again.
var pragmas = []string{"busy_timeout(20000)", "journal_mode(WAL)", "synchronous(NORMAL)", "secure_delete(ON)",
	"foreign_keys(OFF)", "cache_size(-32768)", "mmap_size(0)", "journal_size_limit(4194304)", "trusted_schema(OFF)"}

func open(ctx context.Context, path string) (*Index, error) {
	if err := touch(path); err != nil {
		return nil, err
	}
	ix, err := connect(path, url.Values{"_pragma": pragmas, "_txlock": {"immediate"}})
	if err != nil {
		return nil, err
	}
	// SQLite does not wait for another process that is beginning a log too, whatever its timeout.
	err = ix.prepare(ctx)
	for tries := 0; code(err) == sqlite3.SQLITE_BUSY && tries < 200 && ctx.Err() == nil; tries++ {
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

func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func (ix *Index) prepare(ctx context.Context) error {
	var found int
	err := ix.db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&found)
	switch {
	case err != nil:
		return ix.damage(err)
	case found > 0:
		return ix.checkTables(ctx)
	}
	return ix.write(ctx, func(t *tx) {
		// Only a transaction can distinguish an empty file from another's database: another process may be making the tables.
		if found, _ := one(t, column[int], `PRAGMA user_version`); found > 0 {
			return
		}
		if tables, _ := one(t, column[int], `SELECT count(*) FROM sqlite_schema`); tables > 0 {
			t.fail(fmt.Errorf("%w: it is another database", ErrDamaged))
		}
		t.makeTables()
	})
}

// checkTables returns [ErrNewer] for a database of a newer version, and [ErrDamaged] for one whose tables are not those
// of this one.
func (ix *Index) checkTables(ctx context.Context) error {
	var found int
	var by string
	err := ix.db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&found)
	switch {
	case err != nil:
		return ix.damage(err)
	case found > version:
		return fmt.Errorf("%w: it has version %d, and this one knows versions up to %d", ErrNewer, found, version)
	case found < version:
		return fmt.Errorf("%w: it has version %d", ErrDamaged, found)
	}
	err = ix.db.QueryRowContext(ctx, `SELECT made FROM state`).Scan(&by)
	switch {
	case errors.Is(err, sql.ErrNoRows), code(err) == sqlite3.SQLITE_ERROR: // no table, or no row
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case err == nil && by != tablesDigest:
		return fmt.Errorf("%w: another build of council made its tables", ErrDamaged)
	}
	return ix.damage(err)
}

func (t *tx) makeTables() {
	if t.err != nil {
		return
	}
	mark := fmt.Sprintf("UPDATE state SET made = '%s'; PRAGMA user_version = %d", tablesDigest, version)
	if _, err := t.sql.ExecContext(t.ctx, tables+mark); err != nil {
		t.err = fmt.Errorf("cannot make the tables of the index: %w", err)
	}
}

// empty drops all tables and views, and makes them again.
func (t *tx) empty() {
	for _, drop := range slices.Collect(each(t, column[string], `SELECT 'DROP ' || type || ' "' || name || '"'
		FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' AND name NOT GLOB 'words_*'
		ORDER BY type DESC`)) {
		t.exec(drop)
	}
	if t.err != nil {
		t.err = fmt.Errorf("cannot empty the index: %w", t.err)
	}
	t.makeTables()
}

// damage wraps errors that mean a damaged database in ErrDamaged, and notes that the index must not be used again.
func (ix *Index) damage(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if errors.Is(err, ErrDamaged) {
		ix.damaged.Store(true)
	}
	return err
}

// unwritable wraps errors that mean a folder without write access in [ErrReadOnly].
func unwritable(err error) error {
	if slices.Contains([]int{sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}, code(err)) ||
		errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return err
}

// Put stores documents, all or none, and replaces those with the same ids; unchanged ones are not written. Later ones
// count as newer where there are more matches than can be looked at. The error wraps ErrBadDoc if a document has no
// proper id.
func (ix *Index) Put(ctx context.Context, docs ...Doc) error {
	return ix.write(ctx, func(t *tx) {
		w := writer{tx: t}
		for _, d := range docs {
			if w.put(d); w.err != nil {
				w.err = fmt.Errorf("cannot put %s into the index: %w", d.ID, w.err)
				return
			}
		}
	})
}

// writer puts documents.
type writer struct {
	*tx
	last origin // of the document before
}

// origin is a document's session.
type origin struct {
	n     int64
	id    council.SessionID
	topic string
}

func (w *writer) put(d Doc) {
	local, err := d.local()
	w.fail(err)
	d.At = time.UnixMilli(d.At.UnixMilli()).UTC()
	from := w.origin(d)
	if d.What == Decision && d.Event != "" { // not a person's own words
		d.about = encode(from.topic)
	}
	find, by := selectDocs+`WHERE d.session = ? AND d.local = ?`, []any{from.n, local}
	if d.Kind == KindRecord { // it may have come from another session before
		find, by = selectDocs+`WHERE d.local = ? AND d.kind = 'record'`, []any{local}
	}
	before, held := one(w.tx, scanDoc, find, by...)
	before.Topic, d.n = d.Topic, before.n
	if held && before == d {
		return
	}
	if held {
		w.remove(before, d)
	}
	searched, kept := encode(d.Text), any(nil)
	if searched != d.Text {
		kept = d.Text
	}
	w.exec(`INSERT INTO docs (session, local, kind, what, event, member, name, at, status, instead, rehearsed, text)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, from.n, local, string(d.Kind), d.What, d.Event, string(d.Member),
		d.Name, d.At.UnixMilli(), d.Status, d.SupersededBy, d.Rehearsed, kept)
	w.exec(`INSERT INTO words (rowid, text, about) VALUES (last_insert_rowid(), ?, ?)`, searched, d.about)
}

// origin returns the session of a document, which is added if it is unknown. A topic that is given replaces another
// one.
func (w *writer) origin(d Doc) origin {
	if d.Session == "" {
		return origin{}
	}
	if d.Session == w.last.id && (d.Topic == "" || d.Topic == w.last.topic) {
		return w.last
	}
	found, known := one(w.tx, func(r row, o *origin) error { return r.Scan(&o.n, &o.id, &o.topic) },
		`SELECT n, id, topic FROM origins WHERE id = ?`, string(d.Session))
	if !known || d.Topic != "" && d.Topic != found.topic {
		found.id, found.topic = d.Session, d.Topic
		found.n, _ = one(w.tx, column[int64], `INSERT INTO origins (id, topic) VALUES (?, ?)
			ON CONFLICT DO UPDATE SET topic = excluded.topic RETURNING n`, string(d.Session), d.Topic)
	}
	w.last = found
	return found
}

func (w *writer) remove(d, next Doc) {
	w.exec(`DELETE FROM words WHERE rowid = ?`, d.n)
	w.exec(`DELETE FROM docs WHERE n = ?`, d.n)
	if d.Session != "" && d.Session != next.Session {
		w.last = origin{}
		w.exec(`DELETE FROM origins WHERE id = ? AND NOT EXISTS (SELECT 1 FROM docs WHERE session = origins.n)`,
			string(d.Session))
	}
}
