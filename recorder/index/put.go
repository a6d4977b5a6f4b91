package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/council-engine/council/council"
)

// Put stores documents, all or none, and replaces those with the same ids; unchanged ones are not written. Later ones
// count as newer where there are more matches than can be looked at. The error wraps ErrBadDoc if a document has no
// proper id.
func (ix *Index) Put(ctx context.Context, docs ...Doc) error {
	return ix.write(ctx, func(w *writer) error {
		for _, d := range docs {
			if err := w.put(ctx, d); err != nil {
				return fmt.Errorf("cannot put %s into the index: %w", d.ID, err)
			}
		}
		return nil
	})
}

// writer is a transaction. It prepares each statement once.
type writer struct {
	tx       *sql.Tx
	prepared map[string]*sql.Stmt

	session council.SessionID // the last one that was looked for
	n       int64             // its number
	topic   string
}

func (w *writer) prepare(ctx context.Context, query string) (s *sql.Stmt, err error) {
	if s = w.prepared[query]; s == nil {
		if s, err = w.tx.PrepareContext(ctx, query); err == nil {
			w.prepared[query] = s
		}
	}
	return s, err
}

func (w *writer) exec(ctx context.Context, query string, args ...any) error {
	s, err := w.prepare(ctx, query)
	if err == nil {
		_, err = s.ExecContext(ctx, args...)
	}
	return err
}

func (w *writer) row(ctx context.Context, query string, args ...any) *sql.Row {
	if s, err := w.prepare(ctx, query); err == nil {
		return s.QueryRowContext(ctx, args...)
	}
	return w.tx.QueryRowContext(ctx, query, args...) // which fails with the error
}

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
		d.about = encode(topic)
	}
	find, by := selectDocs+`WHERE d.session = ? AND d.local = ?`, []any{place, local}
	if d.Kind == KindRecord { // it may have come from another session before
		find, by = selectDocs+`WHERE d.local = ? AND d.kind = 'record'`, []any{local}
	}
	before, err := scanDoc(w.row(ctx, find, by...))
	before.Topic, d.n = d.Topic, before.n
	switch {
	case err == nil && before == d:
		return nil
	case err == nil:
		err = w.remove(ctx, before, d)
	case errors.Is(err, sql.ErrNoRows):
		err = nil
	}
	if err != nil {
		return err
	}
	searched, kept := encode(d.Text), any(nil)
	if searched != d.Text {
		kept = d.Text
	}
	err = w.exec(ctx, `INSERT INTO docs (session, local, kind, what, event, member, name, at, status, instead, rehearsed,
		text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, place, local, string(d.Kind), d.What, d.Event, string(d.Member),
		d.Name, d.At.UnixMilli(), d.Status, d.SupersededBy, d.Rehearsed, kept)
	if err == nil {
		err = w.exec(ctx, `INSERT INTO words (rowid, text, about) VALUES (last_insert_rowid(), ?, ?)`, searched, d.about)
	}
	return err
}

// place returns the number and the topic of a document's session, which is added if it is unknown. A topic that
// is given replaces another one.
func (w *writer) place(ctx context.Context, d Doc) (n int64, topic string, err error) {
	if d.Session == "" {
		return 0, "", nil
	}
	if d.Session == w.session && (d.Topic == "" || d.Topic == w.topic) {
		return w.n, w.topic, nil
	}
	err = w.row(ctx, `SELECT n, topic FROM origins WHERE id = ?`, string(d.Session)).Scan(&n, &topic)
	if errors.Is(err, sql.ErrNoRows) || err == nil && d.Topic != "" && d.Topic != topic {
		topic = d.Topic
		n, err = column[int64](w.row(ctx, `INSERT INTO origins (id, topic) VALUES (?, ?)
			ON CONFLICT DO UPDATE SET topic = excluded.topic RETURNING n`, string(d.Session), topic))
	}
	w.session, w.n, w.topic = d.Session, n, topic
	return n, topic, err
}

func (w *writer) remove(ctx context.Context, d, next Doc) error {
	err := w.exec(ctx, `DELETE FROM words WHERE rowid = ?`, d.n)
	if err == nil {
		err = w.exec(ctx, `DELETE FROM docs WHERE n = ?`, d.n)
	}
	if err == nil && d.Session != "" && d.Session != next.Session {
		w.session = ""
		err = w.exec(ctx, `DELETE FROM origins
			WHERE id = ? AND NOT EXISTS (SELECT 1 FROM docs WHERE session = origins.n)`, string(d.Session))
	}
	return err
}

// Bounds of one transaction of a rebuild: others wait while it is written.
const (
	batchDocs  = 10_000
	batchBytes = 16 << 20
)

// Rebuild empties the index and fills it again, in order. Others can read and put meanwhile. After an error or an
// interruption the index is not whole, and can be used and rebuilt. The error may be one that the documents came with.
func (ix *Index) Rebuild(ctx context.Context, docs iter.Seq2[Doc, error]) error {
	if err := ix.write(ctx, func(w *writer) error { return w.empty(ctx) }); err != nil {
		return err
	}
	var batch []Doc
	size := 0
	flush := func() error {
		err := ix.Put(ctx, batch...)
		batch, size = batch[:0], 0
		return err
	}
	for d, err := range docs {
		if err != nil {
			return err
		}
		batch, size = append(batch, d), size+len(d.Text)
		if len(batch) >= batchDocs || size >= batchBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return ix.write(ctx, func(w *writer) error {
		err := w.exec(ctx, `INSERT INTO words (words) VALUES ('optimize')`) // in one piece words are found fastest
		if err == nil {
			err = w.exec(ctx, `UPDATE state SET whole = 1`)
		}
		return err
	})
}

// Dump writes the content of the index: every document as a line of JSON, in the order of sessions and ids, then every
// term with the number of documents that have it and of its uses. Two indexes of the same documents give the same
// bytes.
func (ix *Index) Dump(ctx context.Context, w io.Writer) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot dump the index: %w", ix.damage(err))
		}
	}()
	conn, err := ix.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	out := json.NewEncoder(w)
	doc := func(r row) (none struct{}, err error) {
		d, err := scanDoc(r)
		if err == nil {
			err = out.Encode(d)
		}
		return none, err
	}
	if _, err := list(ctx, conn, doc, selectDocs+`ORDER BY coalesce(s.id, ''), d.local`); err != nil {
		return err
	}
	const view = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab (main, words, row)`
	if _, err := conn.ExecContext(ctx, view); err != nil {
		return err
	}
	term := func(r row) (none struct{}, err error) {
		var term string
		var docs, times int64
		if err = r.Scan(&term, &docs, &times); err == nil {
			_, err = fmt.Fprintf(w, "%q %d %d\n", term, docs, times)
		}
		return none, err
	}
	_, err = list(ctx, conn, term, `SELECT term, doc, cnt FROM temp.dumped`)
	return err
}
