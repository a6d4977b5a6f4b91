package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// Bounds of one transaction of a rebuild: others wait while it is written.
const (
	batchDocs  = 10_000
	batchBytes = 16 << 20
)

// maxKnown bounds the memory of a rebuild.
const maxKnown = 500_000

// Rebuild empties the index and fills it again, in order. Others can read meanwhile, and find what is in by then; what
// they put stays. If it fails or is cut off, the index is not whole, and can be used and rebuilt. The error may be one
// that the documents came with.
func (ix *Index) Rebuild(ctx context.Context, docs iter.Seq2[Doc, error]) error {
	if err := ix.write(ctx, func(tx *sql.Tx) error { return empty(ctx, tx) }); err != nil {
		return err
	}
	known := map[string]bool{}
	var batch []Doc
	size := 0
	flush := func() error {
		if len(known) > maxKnown {
			clear(known)
		}
		err := ix.write(ctx, func(tx *sql.Tx) error { return putAll(ctx, tx, batch, known) })
		batch, size = batch[:0], 0
		return err
	}
	for d, err := range docs {
		if err != nil {
			return err
		}
		batch = append(batch, d)
		if size += len(d.Text); len(batch) < batchDocs && size < batchBytes {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if err := ix.settle(ctx); err != nil {
		return err
	}
	_, err := ix.db.ExecContext(ctx, `UPDATE state SET whole = 1`)
	return ix.damage(err)
}

// settlePages is how much of the index of words is merged in one transaction, in pages of 4 KB.
const settlePages = 4000

// settle merges the index of words into one piece, in which words are found fastest.
func (ix *Index) settle(ctx context.Context) error {
	pages := -settlePages // a negative number begins
	for {
		before, after := 0, 0
		err := ix.write(ctx, func(tx *sql.Tx) error {
			const changes = `SELECT total_changes()`
			if err := tx.QueryRowContext(ctx, changes).Scan(&before); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO words (words, rank) VALUES ('merge', ?)`, pages); err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, changes).Scan(&after)
		})
		if err != nil {
			return fmt.Errorf("cannot merge the index: %w", ix.damage(err))
		}
		if after-before < 2 { // so FTS5 says that there was nothing to do
			return nil
		}
		pages = settlePages
	}
}

// Dump writes what is in the index in a form that depends on nothing else: every document as a line of JSON, in the
// order of sessions and ids, then every term with how many documents have it and how often. Two indexes of the same
// documents give the same bytes.
func (ix *Index) Dump(ctx context.Context, w io.Writer) error {
	conn, err := ix.db.Conn(ctx)
	if err != nil {
		return ix.damage(err)
	}
	defer conn.Close()
	if err := dumpDocs(ctx, conn, w); err != nil {
		return fmt.Errorf("cannot dump the index: %w", ix.damage(err))
	}
	if err := dumpTerms(ctx, conn, w); err != nil {
		return fmt.Errorf("cannot dump the index: %w", ix.damage(err))
	}
	return nil
}

func dumpDocs(ctx context.Context, conn *sql.Conn, w io.Writer) error {
	rows, err := conn.QueryContext(ctx, selectDocs+`ORDER BY coalesce(s.id, ''), d.local`)
	if err != nil {
		return err
	}
	defer rows.Close()
	out := json.NewEncoder(w)
	for rows.Next() {
		d, err := scanDoc(rows)
		if err != nil {
			return err
		}
		if err := out.Encode(d.Doc); err != nil {
			return err
		}
	}
	return rows.Err()
}

func dumpTerms(ctx context.Context, conn *sql.Conn, w io.Writer) error {
	const view = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.dumped USING fts5vocab (main, words, row)`
	if _, err := conn.ExecContext(ctx, view); err != nil {
		return err
	}
	for _, query := range []string{`SELECT term, doc, cnt FROM temp.dumped`,
		`SELECT term, 0, 0 FROM terms ORDER BY term`} {
		rows, err := conn.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		for rows.Next() {
			var term string
			var docs, times int64
			err := rows.Scan(&term, &docs, &times)
			if err == nil {
				_, err = fmt.Fprintf(w, "%q %d %d\n", term, docs, times)
			}
			if err != nil {
				rows.Close()
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}
