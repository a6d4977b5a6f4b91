package index

import (
	"context"
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
	if err := ix.write(ctx, func(w *writer) error { return w.empty(ctx) }); err != nil {
		return err
	}
	known := map[string]bool{}
	var batch []Doc
	size := 0
	flush := func() error {
		if len(known) > maxKnown {
			clear(known)
		}
		err := ix.write(ctx, func(w *writer) error {
			w.known = known
			return w.putAll(ctx, batch)
		})
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
		err := ix.write(ctx, func(w *writer) (err error) {
			const changes = `SELECT total_changes()`
			if before, err = column[int](w.row(ctx, changes)); err == nil {
				err = w.exec(ctx, `INSERT INTO words (words, rank) VALUES ('merge', ?)`, pages)
			}
			if err == nil {
				after, err = column[int](w.row(ctx, changes))
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("cannot merge the index: %w", err)
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
	if err := ix.dump(ctx, w); err != nil {
		return fmt.Errorf("cannot dump the index: %w", ix.damage(err))
	}
	return nil
}

func (ix *Index) dump(ctx context.Context, w io.Writer) error {
	conn, err := ix.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	out := json.NewEncoder(w)
	doc := func(r row) (none struct{}, err error) {
		d, err := scanDoc(r)
		if err == nil {
			err = out.Encode(d.Doc)
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
	if err == nil {
		_, err = list(ctx, conn, term, `SELECT term, 0, 0 FROM terms ORDER BY term`)
	}
	return err
}
