package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/index/terms"
)

// Put puts documents in, all or none. One that is there already under its id is replaced; one that is there unchanged
// costs nothing. The order matters: what is put later counts as newer where there are more matches than can be looked
// at. The error wraps ErrBadDoc if a document has no proper id.
func (ix *Index) Put(ctx context.Context, docs ...Doc) error {
	return ix.write(ctx, func(tx *sql.Tx) error { return putAll(ctx, tx, docs, map[string]bool{}) })
}

// putAll puts documents in. Known are terms that are in the vocabulary for certain.
func putAll(ctx context.Context, tx *sql.Tx, docs []Doc, known map[string]bool) error {
	w := newWriter(tx, known)
	defer w.close()
	for _, d := range docs {
		if err := w.put(ctx, d); err != nil {
			return fmt.Errorf("cannot put %s into the index: %w", d.ID, damage(err))
		}
	}
	return nil
}

// writer is a transaction that writes. It prepares a statement once.
type writer struct {
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
	known    map[string]bool

	session council.SessionID // the last one that was looked for
	n       int64             // its number
	topic   string
}

func newWriter(tx *sql.Tx, known map[string]bool) *writer {
	return &writer{tx: tx, prepared: map[string]*sql.Stmt{}, known: known}
}

func (w *writer) close() {
	for _, s := range w.prepared {
		s.Close()
	}
}

func (w *writer) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	s := w.prepared[query]
	if s != nil {
		return s, nil
	}
	s, err := w.tx.PrepareContext(ctx, query)
	if err == nil {
		w.prepared[query] = s
	}
	return s, err
}

// exec returns the id of the last row that was added, and how many were changed.
func (w *writer) exec(ctx context.Context, query string, args ...any) (id, rows int64, err error) {
	s, err := w.prepare(ctx, query)
	if err != nil {
		return 0, 0, err
	}
	r, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, 0, err
	}
	id, err = r.LastInsertId()
	rows, rowsErr := r.RowsAffected()
	return id, rows, errors.Join(err, rowsErr)
}

// row returns the answer to a query of one row. It has to be scanned.
func (w *writer) row(ctx context.Context, query string, args ...any) interface{ Scan(...any) error } {
	s, err := w.prepare(ctx, query)
	if err != nil {
		return failed{err}
	}
	return s.QueryRowContext(ctx, args...)
}

// failed is the row of a statement that could not be prepared.
type failed struct{ err error }

func (f failed) Scan(...any) error { return f.err }

const (
	findDoc    = selectDocs + `WHERE d.session = ? AND d.local = ?`
	findRecord = selectDocs + `WHERE d.local = ? AND d.kind = 'record'`
)

func (w *writer) put(ctx context.Context, d Doc) error {
	local, err := d.local()
	if err != nil {
		return err
	}
	d.At = time.UnixMilli(d.At.UnixMilli()).UTC()
	place, topic, err := w.place(ctx, d)
	if err != nil {
		return err
	}
	if d.What == Decision && d.Event != "" { // not a person's own words
		d.about = topic
	}
	find, by := findDoc, []any{place, local}
	if d.Kind == KindRecord { // it may have come from another session before
		find, by = findRecord, []any{local}
	}
	before, err := scanDoc(w.row(ctx, find, by...))
	switch {
	case err == nil:
		before.Topic = d.Topic
		if before.Doc == d {
			return nil
		}
		if err := w.remove(ctx, before, d); err != nil {
			return err
		}
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	n, _,
		err := w.exec(ctx, `INSERT INTO docs (session, local, kind, what, about, event, member, name, at, status, instead,
		rehearsed, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, place, local, string(d.Kind), d.What, d.about, d.Event,
		string(d.Member), d.Name, d.At.UnixMilli(), d.Status, d.SupersededBy, d.Rehearsed, d.Text)
	if err != nil {
		return err
	}
	var fresh []string
	looked := d.terms(func(t terms.Token) {
		if t.Compound() && !w.known[t.Term] {
			w.known[t.Term] = true
			fresh = append(fresh, t.Term)
		}
	})
	if _, _, err := w.exec(ctx, `INSERT INTO words (rowid, terms) VALUES (?, ?)`, n, looked); err != nil {
		return err
	}
	for _, term := range fresh {
		if err := w.learn(ctx, term); err != nil {
			return err
		}
	}
	return nil
}

// place returns the number and the topic of a document's session, which is entered if it is not known. A topic that is
// given replaces one that is not the same.
func (w *writer) place(ctx context.Context, d Doc) (n int64, topic string, err error) {
	if d.Session == "" {
		return 0, "", nil
	}
	if d.Session == w.session && (d.Topic == "" || d.Topic == w.topic) {
		return w.n, w.topic, nil
	}
	err = w.row(ctx, `SELECT n, topic FROM origins WHERE id = ?`, string(d.Session)).Scan(&n, &topic)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		topic = d.Topic
		n, _, err = w.exec(ctx, `INSERT INTO origins (id, topic) VALUES (?, ?)`, string(d.Session), topic)
	case err == nil && d.Topic != "" && d.Topic != topic:
		topic = d.Topic
		_, _, err = w.exec(ctx, `UPDATE origins SET topic = ? WHERE n = ?`, topic, n)
	}
	w.session, w.n, w.topic = d.Session, n, topic
	return n, topic, err
}

// learn enters a term into the vocabulary.
func (w *writer) learn(ctx context.Context, term string) error {
	n, rows, err := w.exec(ctx, `INSERT OR IGNORE INTO terms (term) VALUES (?)`, term)
	if err == nil && rows > 0 {
		_, _, err = w.exec(ctx, `INSERT INTO parts (rowid, term) VALUES (?, ?)`, n, term)
	}
	return err
}
