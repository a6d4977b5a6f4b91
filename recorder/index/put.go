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
// costs nothing. The order matters: what is put later counts as newer where there are more matches than can be looked at.
// The error wraps ErrBadDoc if a document has no proper id.
func (ix *Index) Put(ctx context.Context, docs ...Doc) error {
	return ix.write(ctx, func(tx *sql.Tx) error { return putAll(ctx, tx, docs, map[string]bool{}) })
}

// putAll puts documents in. Known are terms that are in the vocabulary for certain.
func putAll(ctx context.Context, tx *sql.Tx, docs []Doc, known map[string]bool) error {
	w, err := newWriter(ctx, tx)
	if err != nil {
		return damage(err)
	}
	defer w.close()
	w.known = known
	for _, d := range docs {
		if err := w.put(ctx, d); err != nil {
			return fmt.Errorf("cannot put %s into the index: %w", d.ID, damage(err))
		}
	}
	return nil
}

// writer holds the statements of a transaction that writes.
type writer struct {
	findSession, addSession, retitle *sql.Stmt
	find, findRecord, take, free     *sql.Stmt
	add, addWords, takeWords         *sql.Stmt
	addTerm, addPart, uses           *sql.Stmt
	findTerm, takeTerm, takePart     *sql.Stmt
	all                              []*sql.Stmt

	session council.SessionID // the last one that was looked for
	n       int64             // its number
	known   map[string]bool
}

func newWriter(ctx context.Context, tx *sql.Tx) (*writer, error) {
	w := &writer{}
	for _, s := range []struct {
		to  **sql.Stmt
		sql string
	}{
		{&w.findSession, `SELECT n, topic FROM sessions WHERE id = ?`},
		{&w.addSession, `INSERT INTO sessions (id, topic) VALUES (?, ?)`},
		{&w.retitle, `UPDATE sessions SET topic = ? WHERE n = ?`},
		{&w.find, selectDocs + `WHERE d.session = ? AND d.local = ?`},
		{&w.findRecord, selectDocs + `WHERE d.local = ? AND d.kind = 'record'`},
		{&w.take, `DELETE FROM docs WHERE n = ?`},
		{&w.free, `DELETE FROM sessions WHERE n = ? AND NOT EXISTS (SELECT 1 FROM docs WHERE session = sessions.n)`},
		{&w.add, `INSERT INTO docs (session, local, kind, event, member, name, at, status, instead, rehearsed, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.addWords, `INSERT INTO words (rowid, terms) VALUES (?, ?)`},
		{&w.takeWords, `INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)`},
		{&w.addTerm, `INSERT OR IGNORE INTO terms (term) VALUES (?)`},
		{&w.addPart, `INSERT INTO parts (rowid, term) VALUES (?, ?)`},
		{&w.uses, `SELECT EXISTS (SELECT 1 FROM words WHERE words MATCH ? LIMIT 1)`},
		{&w.findTerm, `SELECT n FROM terms WHERE term = ?`},
		{&w.takeTerm, `DELETE FROM terms WHERE n = ?`},
		{&w.takePart, `INSERT INTO parts (parts, rowid, term) VALUES ('delete', ?, ?)`},
	} {
		stmt, err := tx.PrepareContext(ctx, s.sql)
		if err != nil {
			w.close()
			return nil, err
		}
		*s.to = stmt
		w.all = append(w.all, stmt)
	}
	return w, nil
}

func (w *writer) close() {
	for _, s := range w.all {
		s.Close()
	}
}

func (w *writer) put(ctx context.Context, d Doc) error {
	local, err := d.local()
	if err != nil {
		return err
	}
	d.At = time.UnixMilli(d.At.UnixMilli()).UTC()
	place, err := w.place(ctx, d)
	if err != nil {
		return err
	}
	find := []any{place, local}
	query := w.find
	if d.Kind == KindRecord { // it may have come from another session before
		find, query = []any{local}, w.findRecord
	}
	before, err := scanDoc(query.QueryRowContext(ctx, find...))
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
	r, err := w.add.ExecContext(ctx, place, local, string(d.Kind), d.Event, string(d.Member), d.Name, d.At.UnixMilli(), d.Status, d.SupersededBy, d.Rehearsed, d.Text)
	if err != nil {
		return err
	}
	n, err := r.LastInsertId()
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
	if _, err := w.addWords.ExecContext(ctx, n, looked); err != nil {
		return err
	}
	for _, term := range fresh {
		if err := w.learn(ctx, term); err != nil {
			return err
		}
	}
	return nil
}

// place is the number of a document's session, which is entered if it is not known. A topic that is given replaces one
// that is not the same.
func (w *writer) place(ctx context.Context, d Doc) (int64, error) {
	if d.Session == "" {
		return 0, nil
	}
	if d.Session == w.session && d.Topic == "" {
		return w.n, nil
	}
	var n int64
	var topic string
	err := w.findSession.QueryRowContext(ctx, string(d.Session)).Scan(&n, &topic)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		r, err := w.addSession.ExecContext(ctx, string(d.Session), d.Topic)
		if err != nil {
			return 0, err
		}
		if n, err = r.LastInsertId(); err != nil {
			return 0, err
		}
	case err != nil:
		return 0, err
	case d.Topic != "" && d.Topic != topic:
		if _, err := w.retitle.ExecContext(ctx, d.Topic, n); err != nil {
			return 0, err
		}
	}
	w.session, w.n = d.Session, n
	return n, nil
}

// learn enters a term into the vocabulary.
func (w *writer) learn(ctx context.Context, term string) error {
	r, err := w.addTerm.ExecContext(ctx, term)
	if err != nil {
		return err
	}
	if rows, err := r.RowsAffected(); err != nil || rows == 0 {
		return err
	}
	n, err := r.LastInsertId()
	if err != nil {
		return err
	}
	_, err = w.addPart.ExecContext(ctx, n, term)
	return err
}
